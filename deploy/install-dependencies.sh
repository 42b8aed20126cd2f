#!/bin/sh
# Installs with apt whatever catena needs and this machine lacks; does nothing, and asks nobody, when all is there.
# docs/dependencies.md says what each package is for; a test holds the two lists together.
#   deploy/install-dependencies.sh [--with-browser] [--with-clang] [--with-lint] [--list]
set -eu

# what it takes to build catena, to test it and to run it
packages="
g++
cmake
ninja-build
make
ccache
lld
pkgconf
libcaf-dev
librocksdb-dev
nlohmann-json3-dev
libvalijson-dev
libspdlog-dev
libfmt-dev
libcli11-dev
libyaml-cpp-dev
libre2-dev
libxxhash-dev
libjemalloc-dev
libssl-dev
zlib1g-dev
libasio-dev
libcurl4-openssl-dev
librestinio-dev
libexpected-dev
libhowardhinnant-date-dev
libutf8proc-dev
catch2
jq
curl
iproute2
python3
nodejs
"
# the tests of the web page
browser_packages="
chromium
"
# the fuzz targets and the builds with sanitizers: clang
clang_packages="
clang-16
libclang-rt-16-dev
"
# make lint
lint_packages="
clang-format
clang-tidy
"

usage() {
  echo "usage: deploy/install-dependencies.sh [--with-browser] [--with-clang] [--with-lint] [--list]"
  echo "  --with-browser  also what the tests of the web page need"
  echo "  --with-clang     also what the presets with clang need: fuzz, asan-ubsan, tsan"
  echo "  --with-lint     also what make lint needs"
  echo "  --list          print every package this script knows, install nothing"
}

wanted=$packages
for option in "$@"; do
  case $option in
    --with-browser) wanted="$wanted $browser_packages" ;;
    --with-clang) wanted="$wanted $clang_packages" ;;
    --with-lint) wanted="$wanted $lint_packages" ;;
    --list)
      printf '%s\n' $packages $browser_packages $clang_packages $lint_packages
      exit 0
      ;;
    --help | -h)
      usage
      exit 0
      ;;
    *)
      echo "install-dependencies: unknown option '$option'" >&2
      usage >&2
      exit 2
      ;;
  esac
done

if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
  echo "install-dependencies: this machine has no apt. Install by hand what stands for these Debian packages:" >&2
  echo "  "$wanted >&2
  exit 1
fi

# dpkg-query fails when it does not know one of them; what it does know it still prints.
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | awk '$2 == "installed" { print $1 }' || true)
missing=""
for package in $wanted; do
  # what came in another way stays as it is
  case $package in
    python3) command -v python3 >/dev/null && continue ;;
    nodejs) command -v node >/dev/null && continue ;;
  esac
  printf '%s\n' "$installed" | grep -qxF -- "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "install-dependencies: missing:$missing" >&2
    echo "install-dependencies: run this as root, or install sudo" >&2
    exit 1
  fi
  as_root=sudo
fi

apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 "$@" </dev/null
}

# apt-cache knows a package only if the lists were fetched once
all_known() {
  for package in $missing; do
    apt-cache show "$package" >/dev/null 2>&1 || return 1
  done
}

install_missing() {
  apt install --no-install-recommends $missing
}

echo "install-dependencies: installing$missing"
updated=no
if ! all_known; then
  apt update
  updated=yes
fi
if ! install_missing >/dev/null; then
  [ "$updated" = no ] || exit 1
  echo "install-dependencies: trying again with fresh package lists"
  apt update
  install_missing >/dev/null
fi
