#include "cli/find/tool_files.hpp"

#include "base/hash.hpp"
#include "cli/find/definition_roots.hpp"
#include "lang/package/bundle.hpp"
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
  cli::DefinitionRoots roots;
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
  return {std::move(*package), std::move(*roots)};
}

/// What the definition's tool takes along, relative to the tree.
std::vector<std::string> travelling(const Tree& tree, const std::string& definition) {
  const auto loaded = load(tree, definition);
  const auto found = cli::tool_files(loaded.package, loaded.roots.roots());
  if (!found) FAIL(render(found.error()));
  std::vector<std::string> paths;
  for (const auto& [key, tool] : *found) {
    for (const auto& file : tool.files) paths.push_back(file.lexically_relative(tree.at("")).string());
  }
  return paths;
}

std::vector<std::string> pinned(const Tree& tree, const std::string& written) { return travelling(tree, tool(tree, "defs/main.tool", written)); }

std::string shipped(const Tree& tree, const std::string& endpoint, const Json& files) {
  return tree.file("defs/main.tool", Json{{"additional_arguments", true}, {"system_event_endpoint", endpoint}, {"files", files}}.dump());
}

Error refusal(const Tree& tree, const std::string& definition) {
  const auto loaded = load(tree, definition);
  const auto found = cli::tool_files(loaded.package, loaded.roots.roots());
  REQUIRE_FALSE(found);
  return found.error();
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_CASE("a program beside its definition or in a tool root is pinned, one of the machine is not") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  tree.program("defs/beside.sh", kScript);
  tree.program("defs/bin/tool.sh", kScript);
  const auto rooted = tree.program("root/rooted.sh", kScript);
  const auto elsewhere = tree.program("elsewhere/tool.sh", kScript);
  tree.program("bin/on-path", kScript);
  tree.program("root/bin/on-rooted-path", kScript);
  CHECK(pinned(tree, "beside.sh") == Paths{"defs/beside.sh"});
  CHECK(pinned(tree, "./beside.sh") == Paths{"defs/beside.sh"});
  CHECK(pinned(tree, "bin/tool.sh") == Paths{"defs/bin/tool.sh"});
  CHECK(pinned(tree, "rooted.sh") == Paths{"root/rooted.sh"});
  CHECK(pinned(tree, rooted) == Paths{"root/rooted.sh"});
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
  const auto contents = cli::pin_tool_files(loaded.package, loaded.roots);
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
  auto loaded = load(tree, tool(tree, "defs/main.tool", "large.sh"));
  const auto found = cli::pin_tool_files(loaded.package, loaded.roots);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == Code::file_too_large);
  CHECK(found.error().message.find("PATH") != std::string::npos);
}

// ---- more than a program ---------------------------------------------------------------------------------------------

TEST_CASE("a program in a folder of its own brings that folder, one in bin brings itself") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  tree.program("defs/tools/analyse/run.py", kScript);
  tree.file("defs/tools/analyse/words/__init__.py", "");
  tree.file("defs/tools/analyse/words.txt", "a");
  tree.file("defs/tools/analyse/__pycache__/words.pyc", "x");
  tree.program("defs/bin/alone.sh", kScript);
  tree.file("defs/bin/other.sh", kScript);
  CHECK(pinned(tree, "tools/analyse/run.py") ==
        Paths{"defs/tools/analyse/run.py", "defs/tools/analyse/words/__init__.py", "defs/tools/analyse/words.txt"});
  CHECK(pinned(tree, "bin/alone.sh") == Paths{"defs/bin/alone.sh"});
}

TEST_CASE("an argument that names a file beside the definition travels, with the place that it has") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  tree.program("bin/python3", kScript);
  tree.file("defs/bin/x.py", "print('{}')");
  auto loaded = load(tree, tool(tree, "defs/main.tool", "python3 bin/x.py -v absent.py"));
  const auto contents = cli::pin_tool_files(loaded.package, loaded.roots);
  REQUIRE(contents);
  REQUIRE(loaded.package.bundled.size() == 1);
  const auto& bundle = loaded.package.bundled.begin()->second;
  CHECK(bundle.places == std::map<std::uint32_t, std::string>{{1, "x.py"}});
  const auto files = lang::unpack_bundle(contents->at(bundle.hash));
  REQUIRE(files);
  CHECK(*files == std::vector<lang::BundleFile>{{"x.py", false, "print('{}')"}});
}

TEST_CASE("files says what travels: paths, folders and patterns, and nothing else does") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  tree.program("defs/tools/a/run.sh", kScript);
  tree.file("defs/tools/a/unnamed.txt", "");
  tree.file("defs/data/one.csv", "1");
  tree.file("defs/data/two.csv", "2");
  tree.file("defs/data/deep/three.csv", "3");
  tree.file("defs/lib/all/of.it", "");
  const std::string exec = "exec:tools/a/run.sh";
  CHECK(travelling(tree, shipped(tree, exec, {"data/one.csv"})) == Paths{"defs/data/one.csv", "defs/tools/a/run.sh"});
  CHECK(travelling(tree, shipped(tree, exec, {"data/*.csv"})) == Paths{"defs/data/one.csv", "defs/data/two.csv", "defs/tools/a/run.sh"});
  CHECK(travelling(tree, shipped(tree, exec, {"data/**.csv"})) ==
        Paths{"defs/data/deep/three.csv", "defs/data/one.csv", "defs/data/two.csv", "defs/tools/a/run.sh"});
  CHECK(travelling(tree, shipped(tree, exec, {"lib"})) == Paths{"defs/lib/all/of.it", "defs/tools/a/run.sh"});
}

TEST_CASE("files that are not there, or lie elsewhere, are refused by name") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  tree.program("defs/run.sh", kScript);
  tree.file("secret/key", "k");
  const auto absent = refusal(tree, shipped(tree, "exec:run.sh", {"data/*.csv"}));
  CHECK(absent.code == Code::file_unreadable);
  CHECK(absent.message.find("'data/*.csv'") != std::string::npos);
  CHECK(refusal(tree, shipped(tree, "exec:run.sh", {"../secret/key"})).code == Code::path_outside_root);
  fs::create_symlink(tree.at("secret"), tree.at("defs/link"));
  CHECK(refusal(tree, shipped(tree, "exec:run.sh", {"link/key"})).code == Code::path_outside_root);
}

}  // namespace catena::cli::test
