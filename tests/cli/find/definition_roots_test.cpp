#include "cli/find/definition_roots.hpp"

#include <sys/stat.h>

#include "base/limits.hpp"
#include "tests/cli/tree.hpp"

namespace catena::cli::test {
namespace {

DefinitionRoots roots(const cli::RootOptions& options) {
  auto opened = DefinitionRoots::open(options);
  REQUIRE(opened);
  return std::move(*opened);
}

/// The text of what is found, or the name of the error.
std::string found(const DefinitionRoots& roots, const std::string& path, const std::string& from) {
  const auto source = roots.definition(path, from);
  return source ? source->text : std::string{name(source.error().code)};
}

std::string program_or_error(const DefinitionRoots& roots, const std::string& program, const std::string& from) {
  const auto path = roots.program(program, from);
  return path ? *path : std::string{name(path.error().code)};
}

bool has_note(const Error& error, const std::string& text) {
  return std::ranges::any_of(error.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("roots stand in the order --tools, the definition's folder, the environment, each once") {
  const Tree tree;
  const auto main = tree.file("main/main.tool");
  const auto first = tree.directory("first");
  const auto last = tree.directory("last");
  tree.link("alias", first);
  const auto opened = roots({.tools = {first, tree.at("alias"), first + "/../first"}, .definition = main, .environment = {first, last}});
  CHECK(opened.roots() == std::vector<fs::path>{first, tree.at("main"), last});
}

TEST_CASE("what lies outside the tool roots is not looked at: the error is the same whether it is there or not") {
  const Tree tree;
  const auto root = tree.directory("root");
  const auto main = tree.file("root/main.tool");
  tree.file("secret.tool");
  tree.link("root/link.tool", tree.at("secret.tool"));
  const auto opened = roots({.environment = {root}});
  for (const std::string& from : {main, std::string{"inline/definition"}}) {
    for (const std::string before : {"/../", "/x/../../", "../"}) {
      CAPTURE(from, before);
      auto there = opened.definition(before + "secret.tool", from).error();
      auto absent = opened.definition(before + "absent.tool", from).error();
      CHECK(there.code == Code::path_outside_root);
      CHECK(absent.code == there.code);
      const auto at = there.message.find("secret");
      REQUIRE(at != std::string::npos);
      CHECK(absent.message == there.message.replace(at, 6, "absent"));
    }
  }
  CHECK(opened.definition("/link.tool", main).error().message.find(tree.at("secret.tool")) == std::string::npos);
}

TEST_CASE("a --tools that is no directory is wrong usage; one of the environment is passed over") {
  const Tree tree;
  const auto file = tree.file("file");
  for (const auto& wrong : {file, tree.at("absent")}) {
    const auto opened = DefinitionRoots::open({.tools = {wrong}});
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == Code::usage);
    CHECK(opened.error().message.find(wrong) != std::string::npos);
  }
  CHECK(roots({.environment = {file, tree.at("absent")}}).roots().empty());
}

TEST_CASE("the definition on the command line is read from where it is, under its canonical path") {
  const Tree tree;
  const auto main = tree.file("main/main.tool");
  tree.link("link.tool", main);
  const auto opened = roots({.definition = tree.at("link.tool")});
  const auto source = opened.definition(tree.at("link.tool"), "");
  REQUIRE(source);
  CHECK(source->key == main);
  CHECK(opened.roots() == std::vector<fs::path>{tree.at("main")});
  CHECK(found(opened, tree.at("absent.tool"), "") == "file_unreadable");
}

TEST_CASE("an absolute path is one below a root: the roots in their order, the path first, then without tools/ or agents/") {
  const Tree tree;
  const auto main = tree.file("b/main.tool");
  const auto a = tree.directory("a");
  const auto opened = roots({.tools = {a}, .definition = main});
  CHECK(found(opened, "/tools/x.tool", main) == "definition_not_found");
  tree.file("b/x.tool");
  CHECK(found(opened, "/tools/x.tool", main) == "b/x.tool");
  tree.file("b/tools/x.tool");
  CHECK(found(opened, "/tools/x.tool", main) == "b/tools/x.tool");
  tree.file("a/x.tool");
  CHECK(found(opened, "/tools/x.tool", main) == "a/x.tool");
  tree.file("a/tools/x.tool");
  CHECK(found(opened, "/tools/x.tool", main) == "a/tools/x.tool");
  CHECK(found(opened, "/x.tool", main) == "a/x.tool");
  tree.file("b/y.agent");
  CHECK(found(opened, "/agents/y.agent", main) == "b/y.agent");
  tree.file("a/agents/y.agent");
  CHECK(found(opened, "/agents/y.agent", main) == "a/agents/y.agent");
}

TEST_CASE("a relative path is looked up beside the definition that names it, then in the roots") {
  const Tree tree;
  const auto main = tree.file("main/main.tool");
  const auto nested = tree.file("main/deep/nested.tool");
  tree.file("other/x.tool");
  const auto opened = roots({.definition = main, .environment = {tree.at("other")}});
  CHECK(found(opened, "x.tool", nested) == "other/x.tool");
  tree.file("main/x.tool");
  CHECK(found(opened, "x.tool", nested) == "main/x.tool");
  tree.file("main/deep/x.tool");
  CHECK(found(opened, "x.tool", nested) == "main/deep/x.tool");
  CHECK(found(opened, "./x.tool", nested) == "main/deep/x.tool");
  CHECK(found(opened, "../x.tool", nested) == "main/x.tool");
}

TEST_CASE("no path leaves its root, by .. or by a link, whether something is there or not") {
  const Tree tree;
  const auto main = tree.file("root/main.tool");
  const auto secret = tree.file("secret.tool");
  tree.link("root/link.tool", secret);
  tree.link("root/folder", tree.at("."));
  const auto opened = roots({.definition = main});
  for (const std::string path : {"../secret.tool", "/../secret.tool", "/tools/../../secret.tool", "link.tool", "/link.tool", "folder/secret.tool",
                                 "../absent.tool", "../../../absent.tool", "/../absent.tool"}) {
    INFO(path);
    CHECK(found(opened, path, main) == "path_outside_root");
  }
  CHECK(found(opened, secret, main) == "definition_not_found");  // absolute paths begin at a root
  tree.file("root/in.tool");
  tree.link("root/inner.tool", "in.tool");
  CHECK(found(opened, "inner.tool", main) == "root/in.tool");
}

TEST_CASE("a root whose name begins like another's does not contain it") {
  const Tree tree;
  const auto main = tree.file("root/main.tool");
  tree.link("root/link.tool", tree.file("root-private/x.tool"));
  CHECK(found(roots({.definition = main}), "link.tool", main) == "path_outside_root");
}

TEST_CASE("what is not found names the places looked at and a near name") {
  const Tree tree;
  const auto main = tree.file("root/main.tool");
  tree.file("root/resize.tool");
  const auto missing = roots({.definition = main}).definition("/resise.tool", main);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Code::definition_not_found);
  CHECK(missing.error().message.find("did you mean 'resize.tool'?") != std::string::npos);
  CHECK(has_note(missing.error(), tree.at("root/resise.tool")));
}

TEST_CASE("a path with a NUL character names nothing") {
  const Tree tree;
  const auto main = tree.file("root/main.tool");
  const auto opened = roots({.definition = main});
  CHECK(found(opened, std::string{"main.tool\0x", 11}, main) == "definition_not_found");
  CHECK(program_or_error(opened, std::string{"sh\0x", 4}, main) == "program_not_found");
}

TEST_CASE("only regular files that can be opened are definitions") {
  const Tree tree;
  REQUIRE(::mkfifo(tree.at("fifo").c_str(), 0600) == 0);
  for (const auto& file : {tree.directory("directory"), tree.at("fifo"), tree.at("absent"), std::string{"/dev/null"}}) {
    INFO(file);
    const auto read = cli::read_definition_file(file);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Code::file_unreadable);
    CHECK(read.error().message.find(file) != std::string::npos);
  }
}

TEST_CASE("a folder of that name hides no definition in a later root") {
  const Tree tree;
  const auto main = tree.file("a/main.tool");
  tree.directory("a/x");
  tree.file("b/x");
  CHECK(found(roots({.definition = main, .environment = {tree.at("b")}}), "/x", main) == "b/x");
}

TEST_CASE("a definition may be as large as a document may be, and not a byte larger") {
  const system_test::Folder folder;
  const auto fits = folder.write("fits", std::string(limits::kDocumentBytesMax, ' '));
  CHECK(cli::read_definition_file(fits).value().size() == limits::kDocumentBytesMax);
  const auto larger = cli::read_definition_file(folder.write("larger", std::string(limits::kDocumentBytesMax + 1, ' ')));
  REQUIRE_FALSE(larger);
  CHECK(larger.error().code == Code::document_too_large);
}

TEST_CASE("a program is looked for beside the definition, in the roots, and without a slash on PATH") {
  const Tree tree;
  const auto main = tree.file("a/main.tool");
  const auto deep = tree.file("a/deep/nested.tool");
  const auto on_path = tree.program("bin/go");
  const auto opened = roots({.definition = main, .environment = {tree.directory("b")}, .search_path = {tree.at("bin")}});
  CHECK(program_or_error(opened, "go", deep) == on_path);
  CHECK(program_or_error(opened, "./go", deep) == "program_not_found");
  const auto in_b = tree.program("b/go");
  CHECK(program_or_error(opened, "go", deep) == in_b);
  CHECK(program_or_error(opened, "./go", deep) == in_b);
  const auto in_a = tree.program("a/go");
  CHECK(program_or_error(opened, "go", deep) == in_a);
  const auto beside = tree.program("a/deep/go");
  CHECK(program_or_error(opened, "go", deep) == beside);
  CHECK(program_or_error(opened, on_path, deep) == on_path);
}

TEST_CASE("what cannot be executed is passed over, and the message says why") {
  const Tree tree;
  const auto main = tree.file("a/main.tool");
  tree.file("a/go");
  tree.directory("b/go");
  const auto there = roots({.definition = main, .environment = {tree.at("b")}, .search_path = {tree.directory("bin")}});
  const auto missing = there.program("go", main);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == Code::program_not_found);
  CHECK(has_note(missing.error(), tree.at("a/go") + " is not executable"));
  CHECK(has_note(missing.error(), tree.at("b/go") + " is not a regular file"));
  CHECK(has_note(missing.error(), tree.at("bin/go") + " is not there"));
  const auto on_path = tree.program("bin/go");
  CHECK(program_or_error(there, "go", main) == on_path);
  CHECK(program_or_error(there, "", main) == "program_not_found");
}

TEST_CASE("a program keeps the name it is called by: a link is not followed") {
  const Tree tree;
  const auto main = tree.file("a/main.tool");
  tree.link("a/alias", tree.program("box"));
  CHECK(program_or_error(roots({.definition = main}), "alias", main) == tree.at("a/alias"));
}

TEST_CASE("an observer is told which file each reference was found in") {
  const Tree tree;
  const auto main = tree.file("a/main.tool");
  const auto x = tree.file("a/tools/x.tool");
  auto opened = roots({.definition = main});
  std::vector<std::string> seen;
  opened.observe([&](std::string_view path, std::string_view from, std::string_view key) {
    seen.insert(seen.end(), {std::string{path}, std::string{from}, std::string{key}});
  });
  CHECK(found(opened, "/tools/x.tool", main) == "a/tools/x.tool");
  CHECK(seen == std::vector<std::string>{"/tools/x.tool", main, x});
}

TEST_CASE("core tools are found behind all roots, under a key that no file has") {
  const Tree tree;
  const auto main = tree.file("a/main.tool");
  const auto opened = roots({.definition = main});
  for (const std::string path : {"/tools/core/math.tool", "/tools/math.tool", "/math.tool", "math.tool"}) {
    INFO(path);
    const auto source = opened.definition(path, main);
    REQUIRE(source);
    CHECK(source->key == "builtin:/tools/core/math.tool");
    CHECK(source->text.find("builtin:math") != std::string::npos);
  }
  CHECK(opened.definition("/tools/core/math.tool", "").value().key == "builtin:/tools/core/math.tool");
  CHECK(opened.definition("/tools/core/math.tool", "builtin:/tools/core/wait.tool").value().key == "builtin:/tools/core/math.tool");
  for (const std::string path : {"/core/math.tool", "/tools/core/", "/tools/core/tools/math.tool", "/tools/core/mat.tool"}) {
    INFO(path);
    CHECK(found(opened, path, main) == "definition_not_found");
  }
  CHECK(opened.definition("/tools/core/mth.tool", main).error().message.find("did you mean 'math.tool'?") != std::string::npos);
  CHECK(found(opened, "/tools/core/mth.tool", "") == "file_unreadable");
  tree.file("a/core/math.tool");
  CHECK(found(opened, "/tools/core/math.tool", main) == "a/core/math.tool");
  CHECK(found(opened, "/tools/math.tool", main).find("builtin:math") != std::string::npos);
  tree.file("a/tools/core/math.tool");
  CHECK(found(opened, "/tools/core/math.tool", main) == "a/tools/core/math.tool");
}

}  // namespace catena::cli::test
