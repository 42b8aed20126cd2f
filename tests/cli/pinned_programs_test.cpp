#include "cli/pinned_programs.hpp"

#include "base/hash.hpp"
#include "cli/definition_roots.hpp"
#include "tests/system/process.hpp"

using namespace catena;
using system_test::Folder;
namespace fs = std::filesystem;

namespace {

const std::string kScript = "#!/bin/sh\necho '{}'\n";

class Tree {
 public:
  [[nodiscard]] std::string at(const std::string& path) const { return (top_ / path).string(); }
  std::string file(const std::string& path, const std::string& text) const {
    fs::create_directories((top_ / path).parent_path());
    std::ofstream{top_ / path} << text;
    return at(path);
  }
  std::string program(const std::string& path, const std::string& text = kScript) const {
    auto name = file(path, text);
    fs::permissions(name, fs::perms::owner_all);
    return name;
  }
  /// A definition of one tool, run by that program.
  std::string tool(const std::string& path, const std::string& written) const {
    return file(path, Json{{"additional_arguments", true}, {"system_event_endpoint", "exec:" + written}}.dump());
  }

 private:
  Folder folder_;
  fs::path top_{fs::canonical((folder_ / "").parent_path())};
};

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
  const auto loaded = load(tree, tree.tool("defs/main.tool", written));
  const auto found = cli::programs_of(loaded.package, loaded.roots);
  REQUIRE(found);
  return paths(*found);
}

}  // namespace

TEST_CASE("a program beside its definition or in a tool root is pinned, one of the machine is not") {
  const Tree tree;
  fs::create_directories(tree.at("root"));
  const auto beside = tree.program("defs/beside.sh");
  const auto below = tree.program("defs/below/tool.sh");
  const auto rooted = tree.program("root/rooted.sh");
  const auto elsewhere = tree.program("elsewhere/tool.sh");
  tree.program("bin/on-path");
  tree.program("root/bin/on-rooted-path");
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
  const auto path = tree.program("defs/beside.sh");
  auto loaded = load(tree, tree.tool("defs/main.tool", "beside.sh"));
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
  const auto path = tree.program("defs/large.sh");
  fs::resize_file(path, lang::kProgramBytesMax + 1);
  const auto loaded = load(tree, tree.tool("defs/main.tool", "large.sh"));
  const auto found = cli::programs_of(loaded.package, loaded.roots);
  REQUIRE_FALSE(found);
  CHECK(found.error().code == Code::file_too_large);
  CHECK(found.error().message.find("PATH") != std::string::npos);
}
