# The front door. What is behind it: deploy/install-dependencies.sh, CMakePresets.json, build/<preset>/.
.DEFAULT_GOAL := help
.PHONY: help run test build install alone bench lint lint-tidy asan tsan web screenshots clean dependencies

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Files of one unit of compilation: what they include and instantiate is compiled once a unit, so that on few cores large units take a quarter less time.
UNIT_FILES ?= $(if $(filter 1 2 3,$(JOBS)),48,16)
RELEASE := build/release
CATENA := $(RELEASE)/catena
MAKEFLAGS += --no-print-directory
export CTEST_PARALLEL_LEVEL ?= 2

help:
	@echo "make run     install what is missing, build, and run the example in examples/corpus"
	@echo "make test    the same, then every test of the release build"
	@echo "make build   the release build: $(CATENA)"
	@echo "make install  the release build, under PREFIX ($(PREFIX)): bin/catena, and its completion for bash"
	@echo "make alone   check that each file compiles alone (make lint does it for files of the layers that differ from main)"
	@echo "make bench   build and run the benchmarks"
	@echo "make bench-peers  catena beside Restate, BullMQ, DBOS, Dask and GNU parallel, which are put into build/peers"
	@echo "make lint    layout of every file, layers; of what changed: files that compile alone, clang-tidy"
	@echo "make asan    build and test with the address and undefined-behaviour sanitizers"
	@echo "make tsan    build and test what has threads with the thread sanitizer"
	@echo "make web     build the web page anew from its sources: web/dist"
	@echo "make screenshots   make the pictures of docs/web.md anew"
	@echo "make clean   remove build/"

dependencies:
	@deploy/install-dependencies.sh

# The example keeps its chains in the build directory, so that trying it out leaves nothing behind elsewhere.
run: dependencies
	@$(MAKE) $(RELEASE)/build.ninja
	@cmake --build --preset release --target catena -j $(JOBS)
	@echo "== $(CATENA) run examples/corpus/corpus.tool"
	@$(CATENA) run examples/corpus/corpus.tool --data-dir build/example-data >build/example-response.json
	@examples/corpus/show-report.sh <build/example-response.json
	@echo "== the whole response: build/example-response.json"

test: run
	@deploy/install-dependencies.sh --with-browser
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release

build: dependencies
	@$(MAKE) $(RELEASE)/build.ninja
	@cmake --build --preset release -j $(JOBS)

install: dependencies
	@$(MAKE) $(RELEASE)/build.ninja
	@cmake --build --preset release --target catena -j $(JOBS)
	@install -D -m 0755 $(CATENA) "$(DESTDIR)$(PREFIX)/bin/catena"
	@install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions"
	@$(CATENA) completion bash >"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/catena"
	@echo "installed $(DESTDIR)$(PREFIX)/bin/catena"

alone: dependencies
	@$(MAKE) $(RELEASE)/build.ninja
	@cmake --build --preset release --target files_alone headers_alone tests_alone -j $(JOBS)

bench: build
	@$(RELEASE)/bench/bench_catena $(CATENA) build
	@$(RELEASE)/bench/bench_expr
	@$(RELEASE)/bench/bench_endpoints $(CATENA) build
	@$(RELEASE)/bench/bench_cluster $(CATENA) build
	@$(RELEASE)/bench/bench_http $(CATENA) build
	@$(RELEASE)/bench/bench_lists build
	@$(RELEASE)/bench/bench_dispatcher
	@$(RELEASE)/bench/bench_startup $(CATENA) build
	@$(RELEASE)/bench/bench_chains build

bench-peers: build
	@bench/peers/setup.sh build/peers
	@node bench/peers/run.mjs $(CATENA) build/peers

# What follows from the text alone comes first: it fails fast.
lint:
	@deploy/install-dependencies.sh --with-lint
	@.ci/lint format
	@$(MAKE) $(RELEASE)/build.ninja
	@cmake --build --preset release --target check_layers -j $(JOBS)
	@ctest --preset release -R '^(layers|layers_finds_breaches|dependencies)$$'
	@JOBS=$(JOBS) .ci/lint alone
	@JOBS=$(JOBS) .ci/lint tidy

# All of it, for people: what was written before a check was there is no fault of a commit.
lint-tidy: build
	@deploy/install-dependencies.sh --with-lint
	@git ls-files '*.cpp' ':!tests' ':!bench' | JOBS=$(JOBS) xargs .ci/lint tidy

asan:
	@deploy/install-dependencies.sh --with-clang
	@cmake --preset asan-ubsan
	@cmake --build --preset asan-ubsan -j $(JOBS)
	@ctest --preset asan-ubsan

# The folders whose tests have actors and threads; the program builds with what they need.
tsan:
	@deploy/install-dependencies.sh --with-clang
	@cmake --preset tsan
	@cmake --build --preset tsan --target test_actors -j $(JOBS)
	@ctest --preset tsan -R '^(link|actors|coordinator|worker)(_[0-9]+)?$$'

# The page is committed as it is built, so only whoever changes it needs npm.
web:
	@cd web && { cmp -s package-lock.json node_modules/.catena-lock.json || { npm ci && cp package-lock.json node_modules/.catena-lock.json; }; }
	@cd web && node_modules/.bin/tsc --noEmit && node build.mjs

# With the release program and the page of the tree, in Debian's chromium.
screenshots: web build
	@cd web && CATENA_PAGE=dist CATENA_BINARY=$(CURDIR)/$(CATENA) node test/screenshots.mjs

clean:
	@rm -rf build

$(RELEASE)/build.ninja: CMakePresets.json
	@cmake --preset release -DCMAKE_UNITY_BUILD_BATCH_SIZE=$(UNIT_FILES) --log-level=WARNING
