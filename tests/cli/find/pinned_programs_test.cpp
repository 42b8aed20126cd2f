#include "cli/find/pinned_programs.hpp"

#include "base/hash.hpp"
#include "cli/find/definition_roots.hpp"
#include "tests/cli/tree.hpp"

namespace catena::cli::test {
namespace {

const std::string kScript = "#!/bin/sh\necho '{}'\n";

/// A definition of one tool, run by that program.
std::string tool(const Tree& tree, const std::string& path, const std::string& written) {
  return tree.file(path, Json{{"additional_arguments", true}, {"system_event_endpoint", "exec:" + written}}.dump());
}

struct Loaded {
  lang::Package package;
  std::vector<fs::path> roots;
};

Loaded load(const Tree& tree, const std::string& definition) {
  cli::RootOptions options;
  options.definition = definition;
  options.tools = {tree.at("root")};
  options.search_path = {tree.at("bin"), tree.at("root/bin")};
  auto roots = cli::DefinitionRoots::open(options);
  REQUIRE(roots);
  auto package = lang::load_package(definition, *roots, lang::Catalog{});
  if (!package) FAIL(render(package.error().front()));
  return {std::move(*package), roots->roots()};
}

std::vector<std::string> paths(const std::map<std::string, cli::Pinned>& programs) {
  std::vector<std::string> found;
  for (const auto& [path, program] : programs) found.push_back(path);
  return found;
}

std::vector<std::string> pinned(const Tree& tree, const std::string& written) {
  const auto loaded = load(tree, tool(tree, "defs/main.tool", written));
  const auto found = cli::programs_of(loaded.package, loaded.roots);
  REQUIRE(found);
  return paths(*found);
}

}  // namespace

TEST_CASE("a program beside its definition or in a tool root is pinned, one of the machine is not") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  const auto beside = tree.program("defs/beside.sh", kScript);
  const auto below = tree.program("defs/below/tool.sh", kScript);
  const auto rooted = tree.program("root/rooted.sh", kScript);
  const auto elsewhere = tree.program("elsewhere/tool.sh", kScript);
  tree.program("bin/on-path", kScript);
  tree.program("root/bin/on-rooted-path", kScript);
  CHECK(pinned(tree, "beside.sh") == std::vector{beside});
  CHECK(pinned(tree, "./beside.sh") == std::vector{beside});
  CHECK(pinned(tree, "below/tool.sh") == std::vector{below});
  CHECK(pinned(tree, "rooted.sh") == std::vector{rooted});
  CHECK(pinned(tree, rooted) == std::vector{rooted});
  CHECK(pinned(tree, elsewhere).empty());
  CHECK(pinned(tree, "on-path").empty());
  CHECK(pinned(tree, "on-rooted-path").empty());
}

TEST_CASE("the content that is handed over is the one that is pinned") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  const auto path = tree.program("defs/beside.sh", kScript);
  auto loaded = load(tree, tool(tree, "defs/main.tool", "beside.sh"));
  const auto unpinned = loaded.package.hash;
  const auto contents = cli::pin_programs_of(loaded.package, loaded.roots);
  REQUIRE(contents);
  CHECK(loaded.package.pinned.at(path) == sha256_hex(kScript));
  CHECK(contents->at(sha256_hex(kScript)) == kScript);
  CHECK(contents->size() == 1);
  CHECK(loaded.package.hash != unpinned);
}

TEST_CASE("a program that is too large to travel is refused with what to do") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  const auto path = tree.program("defs/large.sh", kScript);
  fs::resize_file(path, lang::kProgramBytesMax + 1);
  const auto loaded = load(tree, tool(tree, "defs/main.tool", "large.sh"));
  const auto found = cli::programs_of(loaded.package, loaded.roots);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == Code::file_too_large);
  CHECK(found.error().message.find("PATH") != std::string::npos);
}

}  // namespace catena::cli::test
