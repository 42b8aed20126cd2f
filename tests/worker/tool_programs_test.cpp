#include "worker/tool_programs.hpp"

#include <catch2/catch.hpp>

#include "base/hash.hpp"
#include "lang/package/package.hpp"
#include "tests/worker/support.hpp"

namespace catena::worker::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a file under a root is found by its content, however deep it lies and whatever it is called") {
  const TempDir directory;
  fs::create_directories(directory.path("tools/deep/bin"));
  static_cast<void>(directory.write("tools/deep/bin/other-name", kProgram));
  static_cast<void>(directory.write("tools/notes.txt", "text"));
  const ToolPrograms programs{{directory.path("nowhere"), directory.path("tools")}};
  CHECK(programs.content(kHash) == kProgram);
  CHECK(programs.size() == 2);
  CHECK(programs.complete());
  CHECK_FALSE(programs.content(sha256_hex("something else")));
}

TEST_CASE("a file that changed after the start is not taken for what it was") {
  const TempDir directory;
  fs::create_directories(directory.path("tools"));
  const auto path = directory.write("tools/p.sh", kProgram);
  const ToolPrograms programs{{directory.path("tools")}};
  SECTION("another content") { static_cast<void>(directory.write("tools/p.sh", kProgram + "rm -rf /\n")); }
  SECTION("gone") { fs::remove(path); }
  SECTION("a link in its place") {
    const auto elsewhere = directory.write("elsewhere", kProgram);
    fs::remove(path);
    fs::create_symlink(elsewhere, path);
  }
  CHECK_FALSE(programs.content(kHash));
}

TEST_CASE("symbolic links are not followed out of a root") {
  const TempDir directory;
  fs::create_directories(directory.path("tools"));
  fs::create_directories(directory.path("outside"));
  const auto outside = directory.write("outside/p.sh", kProgram);
  fs::create_symlink(outside, directory.path("tools/p.sh"));
  fs::create_directory_symlink(directory.path("outside"), directory.path("tools/folder"));
  CHECK_FALSE(ToolPrograms{{directory.path("tools")}}.content(kHash));
}

TEST_CASE("files that are too large to be pinned are passed over, and so is what is no file") {
  const TempDir directory;
  fs::create_directories(directory.path("tools"));
  fs::resize_file(directory.write("tools/large", ""), lang::kProgramBytesMax + 1);
  REQUIRE(::mkfifo(directory.path("tools/fifo").c_str(), 0600) == 0);
  const ToolPrograms programs{{directory.path("tools")}};
  CHECK(programs.size() == 0);
  CHECK(programs.complete());
}

TEST_CASE("no more files are read than the bound allows, and that is told") {
  const TempDir directory;
  fs::create_directories(directory.path("tools"));
  for (const auto* name : {"a", "b", "c"}) static_cast<void>(directory.write(std::string{"tools/"} + name, name));
  CHECK(ToolPrograms{{directory.path("tools")}, 3}.complete());
  const ToolPrograms programs{{directory.path("tools")}, 2};
  CHECK(programs.size() == 2);
  CHECK_FALSE(programs.complete());
}

}  // namespace
}  // namespace catena::worker::test
