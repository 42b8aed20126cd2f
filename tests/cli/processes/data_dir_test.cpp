// Data directories that cannot be read, have lost a part, are open to others, or go away under a process.
#include <sys/stat.h>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

const std::vector<Words> kReaders{{"list"}, {"show", "c"}, {"history", "c"}, {"fs", "ls"}, {"resume", "--all"}, {"resume", "c"}, {"cancel", "c"}};

void run_greeting(const Scene& scene, const std::string& chain) {
  const auto ran = scene.run({"run", scene.define("g.tool", greeting()), "--id", chain, "-p", "name=a"});
  INFO(ran.error);
  REQUIRE(ran.code == 0);
}

mode_t rights(const fs::path& path) {
  struct stat file {};
  REQUIRE(::stat(path.c_str(), &file) == 0);
  return file.st_mode & 07777U;
}

/// A chain whose second step takes an hour; nothing is written meanwhile.
std::string waiting_chain(const Scene& scene) {
  return scene.define("c.tool", definition({step("mark", scene.tool("mark", "echo ran >> ran\necho '{}'\n")),
                                            step("wait", builtin("sleep"), {{"dependencies", {"mark"}}, {"arguments", {{"duration", "1h"}}}})}));
}
void wait_until_it_waits(const Scene& scene, const Process& process) {
  REQUIRE(system_test::wait_for_writes(scene.folder() / "ran", process, [&] { return scene.lines("ran") > 0; }));
  while (!process.ended() && !scene.run({"history", "c"}).prints("step wait entered")) {
  }
  REQUIRE_FALSE(process.ended());
}

}  // namespace

TEST_CASE("where no chain was ever run there is nothing to print, and nothing is made") {
  const Scene scene;
  const auto listed = scene.run({"list", "-o", "ids"});
  CHECK(listed.code == 0);
  CHECK(listed.out.empty());
  CHECK(scene.run({"resume", "--all"}).code == 0);
  CHECK(scene.run({"show", "c"}).code == 4);
  CHECK_FALSE(scene.has_data());
}

TEST_CASE("a worker that is the first to come makes a data directory that a coordinator takes") {
  const Scene scene;
  auto worker = scene.start({"worker", "--join", "127.0.0.1:1", "--name", "w"});
  REQUIRE(system_test::wait_for_writes(scene.folder() / "started-error", worker, [&] { return fs::exists(scene.data()); }));
  CHECK(rights(scene.data()) == 0700);
  worker.kill(SIGTERM);
  worker.wait();
}

TEST_CASE("a data directory without CURRENT is refused by every command, and a run deletes nothing in it") {
  const Scene scene;
  run_greeting(scene, "c");
  fs::rename(scene.data() + "/CURRENT", scene.path("CURRENT"));
  auto commands = kReaders;
  for (int round = 0; round < 2; ++round) commands.push_back({"run", scene.define("g.tool", greeting()), "-p", "name=b"});
  for (const auto& words : commands) {
    const auto refused = scene.run(words);
    INFO(words.front() << ": " << refused.out << refused.error);
    CHECK(refused.code == 1);
    CHECK(refused.says("storage_corrupt"));
    CHECK(refused.says("no file CURRENT"));
  }
  fs::rename(scene.path("CURRENT"), scene.data() + "/CURRENT");
  CHECK(scene.run({"list", "-o", "ids"}).out == "c\n");
}

TEST_CASE("a data directory that cannot be looked into is an error of every command") {
  const Scene scene;
  fs::create_symlink(scene.path("unmounted"), scene.data());
  for (const auto& words : kReaders) {
    const auto refused = scene.run(words);
    INFO(words.front() << ": " << refused.out << refused.error);
    CHECK(refused.code == 1);
    CHECK(refused.says("storage_io"));
    CHECK(refused.says(scene.data()));
  }
}

TEST_CASE("a data directory that was open to others is shut, and a line says so once") {
  const Scene scene;
  run_greeting(scene, "c");
  CHECK(rights(scene.data()) == 0700);
  fs::permissions(scene.data(), fs::perms{0755});
  const auto g = scene.define("g.tool", greeting());
  CHECK(scene.run({"run", g, "-p", "name=a"}).says("was open to other users (mode 0755)"));
  CHECK(rights(scene.data()) == 0700);
  CHECK_FALSE(scene.run({"run", g, "-p", "name=a"}).says("was open to other users"));
}

TEST_CASE("a process whose data directory or LOCK is deleted ends within seconds, also when it only waits") {
  for (const std::string what : {"LOCK", "directory"}) {
    INFO(what);
    const Scene scene;
    scene.write("ran", "");
    auto process = scene.start({"run", waiting_chain(scene), "--id", "c"});
    wait_until_it_waits(scene, process);
    if (what == "LOCK") {
      fs::remove(scene.data() + "/LOCK");
    } else {
      fs::rename(scene.data(), scene.path("moved"));
    }
    CHECK(process.wait() == 70);
    const auto said = system_test::read_text(scene.folder() / "started-error");
    INFO(said);
    CHECK(said.find("storage_io") != std::string::npos);
    CHECK(said.find("was deleted, moved or replaced") != std::string::npos);
  }
}

TEST_CASE("a coordinator whose LOCK is deleted ends, though nobody asks it for anything") {
  const Scene scene;
  scene.write("error", "");
  Process coordinator{scene.command({"coordinator", "--listen", "127.0.0.1:0"}), scene.folder() / "out", scene.folder() / "error"};
  const auto said = [&] { return system_test::read_text(scene.folder() / "error"); };
  const bool listens =
      system_test::wait_for_writes(scene.folder() / "error", coordinator, [&] { return said().find("listening on") != std::string::npos; });
  INFO(said());
  REQUIRE(listens);
  fs::remove(scene.data() + "/LOCK");
  CHECK(coordinator.wait() == 70);
  CHECK(said().find("was deleted, moved or replaced") != std::string::npos);
}

}  // namespace cli_test
