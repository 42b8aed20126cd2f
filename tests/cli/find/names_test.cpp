// Definitions by their names: which of several wins, what is passed over, and what is said of a name that nobody has.
#include <sys/stat.h>

#include "cli/find/definition_roots.hpp"
#include "lang/package/definition_name.hpp"
#include "tests/system/process.hpp"
#include "worker/core_tools.hpp"

namespace catena::cli::test {
namespace {

namespace fs = std::filesystem;

class Roots {
 public:
  [[nodiscard]] std::string at(const std::string& path) const { return (top_ / path).string(); }
  std::string file(const std::string& path, const std::string& text) const {
    fs::create_directories((top_ / path).parent_path());
    std::ofstream{top_ / path} << text;
    return at(path);
  }
  /// A tool that calls itself `name`; nothing when that is empty.
  std::string tool(const std::string& path, const std::string& name = {}) const {
    return file(path, "{" + (name.empty() ? "" : R"("name": ")" + name + R"(", )") + R"("system_event_endpoint": "builtin:echo"})");
  }
  [[nodiscard]] DefinitionRoots open(const std::vector<std::string>& folders) const {
    cli::RootOptions options;
    for (const auto& folder : folders) {
      fs::create_directories(top_ / folder);
      options.tools.push_back(at(folder));
    }
    return std::move(DefinitionRoots::open(options).value());
  }
  /// Where the name leads, relative to the top, or the name of the error.
  [[nodiscard]] std::string find(const DefinitionRoots& roots, const std::string& name) const {
    const auto source = roots.named(name, at("main.tool"));
    CHECK(roots.may_have(name) == (source || source.error().code != Code::definition_not_found));
    if (!source) return std::string{catena::name(source.error().code)};
    return source->key.starts_with(top_.string()) ? source->key.substr(top_.string().size() + 1) : source->key;
  }

 private:
  system_test::Folder folder_;
  fs::path top_ = fs::canonical((folder_ / "").parent_path());
};

bool notes(const Error& error, const std::string& text) {
  return std::ranges::any_of(error.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("a name is what a definition calls itself, or its file's stem, in the root, its tools/ or its agents/") {
  const Roots roots;
  roots.tool("a/plain.tool");
  roots.tool("a/tools/file.tool", "renamed");
  roots.file("a/agents/writer.agent", R"({"argument_definitions": [], "system_event_endpoint": "builtin:echo"})");
  roots.file("a/chain.yaml", "name: a chain\nsteps:\n  - {tool: plain, inputMapping: {}}\n");
  roots.tool("a/deep/below.tool");
  const auto opened = roots.open({"a"});
  CHECK(roots.find(opened, "plain") == "a/plain.tool");
  CHECK(roots.find(opened, "renamed") == "a/tools/file.tool");
  CHECK(roots.find(opened, "writer") == "a/agents/writer.agent");
  CHECK(roots.find(opened, "a chain") == "a/chain.yaml");
  CHECK(roots.find(opened, "file") == "definition_not_found");
  CHECK(roots.find(opened, "below") == "definition_not_found");
  CHECK(opened.warnings().empty());
}

TEST_CASE("the first root that has a name wins, and the core tools come last") {
  const Roots roots;
  roots.tool("b/x.tool");
  const auto before = roots.open({"a", "b"});
  CHECK(roots.find(before, "x") == "b/x.tool");
  CHECK(roots.find(before, "math") == "builtin:/tools/core/math.tool");
  roots.tool("a/tools/other.tool", "x");
  roots.tool("b/math.tool");
  const auto after = roots.open({"a", "b"});
  CHECK(roots.find(after, "x") == "a/tools/other.tool");
  CHECK(roots.find(after, "math") == "b/math.tool");
  CHECK(after.warnings().empty());
}

TEST_CASE("of several files of a root a file whose stem is the name comes first, then the first path, and a warning names all") {
  const Roots roots;
  const auto first = roots.tool("a/one.tool", "x");
  const auto second = roots.tool("a/tools/two.tool", "x");
  const auto opened = roots.open({"a"});
  CHECK(roots.find(opened, "x") == "a/one.tool");
  CHECK(roots.find(opened, "x") == "a/one.tool");
  REQUIRE(opened.warnings().size() == 1);
  CHECK(opened.warnings().front().code == Code::id_duplicate);
  CHECK(opened.warnings().front().message.find(first) != std::string::npos);
  CHECK(notes(opened.warnings().front(), second));
  roots.tool("a/tools/x.tool");
  const auto again = roots.open({"a"});
  CHECK(roots.find(again, "x") == "a/tools/x.tool");
  REQUIRE(again.warnings().size() == 1);
  CHECK(notes(again.warnings().front(), first));
}

TEST_CASE("a file that is no definition is passed over, unless its ending says that it is meant as one") {
  const Roots roots;
  roots.file("a/settings.json", R"({"name": "x", "colour": "red"})");
  roots.tool("a/tool.tool", "x");
  const auto opened = roots.open({"a"});
  CHECK(roots.find(opened, "x") == "a/tool.tool");
  CHECK(opened.warnings().empty());
  CHECK(roots.find(opened, "settings") == "definition_not_found");
  roots.file("b/wrong.tool", R"({"name": "y", "colour": "red"})");
  CHECK(roots.find(roots.open({"b"}), "y") == "b/wrong.tool");
}

TEST_CASE("files that cannot be read hide no other name, and are told when a name is found nowhere") {
  const Roots roots;
  const auto broken = roots.file("a/broken.json", R"({"steps": [}, "name": "lost"})");
  const auto large = roots.file("a/large.json", R"({"text": ")" + std::string(5U << 20U, 'x') + R"("})");
  REQUIRE(::mkfifo(roots.at("a/pipe.tool").c_str(), 0600) == 0);
  roots.tool("elsewhere/outside.tool");
  fs::create_symlink(roots.at("elsewhere/outside.tool"), roots.at("a/outside.tool"));
  roots.tool("a/echo_tool.tool");
  const auto opened = roots.open({"a"});
  CHECK(roots.find(opened, "echo_tool") == "a/echo_tool.tool");
  const auto error = opened.named("ehco_tool", "").error();
  CHECK(error.message == "there is no tool 'ehco_tool'; did you mean 'echo_tool'?");
  CHECK(notes(error, "not in " + roots.at("a")));
  CHECK(notes(error, "core tools"));
  CHECK(notes(error, broken + " could not be read: "));
  CHECK(notes(error, large + " could not be read: it is larger than"));
  CHECK(notes(error, roots.at("a/outside.tool") + " could not be read: it is a link that leaves"));
  CHECK_FALSE(notes(error, "pipe.tool"));
}

TEST_CASE("the core tools are called as their files are") {
  for (const auto& tool : worker::core_tools()) {
    CAPTURE(tool.path);
    CHECK(Json::parse(tool.text).at("name") == lang::file_stem(tool.path));
  }
}

TEST_CASE("who watches is told where a name was found") {
  const Roots roots;
  const auto file = roots.tool("a/x.tool");
  auto opened = roots.open({"a"});
  std::vector<std::string> seen;
  opened.observe([&](std::string_view written, std::string_view from, std::string_view key) {
    seen.push_back(std::string{from} + " " + std::string{written} + " " + std::string{key});
  });
  static_cast<void>(roots.find(opened, "x"));
  static_cast<void>(roots.find(opened, "math"));
  CHECK(seen == std::vector<std::string>{roots.at("main.tool") + " x " + file, roots.at("main.tool") + " math builtin:/tools/core/math.tool"});
}

}  // namespace catena::cli::test
