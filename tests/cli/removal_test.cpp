// rm, prune and store, as a person has them: alone, beside a coordinator, and through it.
#include <catch2/catch.hpp>
#include <thread>

#include "tests/cli/scene.hpp"

namespace cli_test {
namespace {

/// A coordinator that runs chains itself, on the data directory of its scene.
class Holder {
 public:
  explicit Holder(const Scene& scene)
      : process_{scene.command({"coordinator", "--listen", "127.0.0.1:0", "--slots", "2", "--port-file", scene.path("port")}),
                 scene.folder() / "holder-out", scene.folder() / "holder-error"} {
    while (!fs::exists(scene.path("port")) && !process_.ended()) std::this_thread::yield();
    INFO(system_test::read_text(scene.folder() / "holder-error"));
    REQUIRE(fs::exists(scene.path("port")));
    address_ = "127.0.0.1:" + system_test::read_lines(scene.path("port")).at(0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() {
    process_.kill(SIGTERM);
    process_.wait();
  }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  Process process_;
  std::string address_;
};

std::string greet(const Scene& scene) { return scene.define("greeting.tool", greeting()); }

}  // namespace

TEST_CASE("rm removes chains that have ended, says why others stay, and their ids are free") {
  const Scene scene;
  const auto tool = greet(scene);
  for (const auto* id : {"one", "two"}) REQUIRE(scene.run({"run", tool, "--id", id, "-p", "name=x", "-q"}).code == 0);
  const auto dry = scene.run({"rm", "one", "--dry-run"});
  CHECK(dry.code == 0);
  CHECK(dry.out == "one (succeeded)\n");
  const auto removed = scene.run({"rm", "one", "nobody", "two"});
  CHECK(removed.code == 4);
  CHECK(removed.says("no chain is called 'nobody'"));
  CHECK(removed.says("removed 2 chains"));
  CHECK(scene.run({"show", "one"}).code == 4);
  CHECK(scene.run({"list", "-o", "ids"}).out.empty());
  CHECK(scene.run({"run", tool, "--id", "one", "-p", "name=x", "-q"}).code == 0);
  CHECK(scene.run({"rm", "elsewhere", "--data-dir", scene.path("none")}).code == 4);
  CHECK_FALSE(fs::exists(scene.path("none")));
  const auto verified = scene.run({"store", "verify"});
  INFO(verified.out);
  CHECK(verified.code == 0);
  CHECK(verified.says("all is well"));
}

TEST_CASE("prune removes by age, end and name, and says before what it would do") {
  const Scene scene;
  const auto tool = greet(scene);
  const auto bad = scene.define("bad.tool", definition({step("fails", scene.tool("fails", "exit 3\n"))}, {{"name", "bad"}}));
  for (const auto* id : {"a", "b"}) REQUIRE(scene.run({"run", tool, "--id", id, "-p", "name=x", "-q"}).code == 0);
  REQUIRE(scene.run({"run", bad, "--id", "c", "-q"}).code == 1);
  CHECK(scene.run({"prune"}).code == 2);
  CHECK(scene.run({"prune", "--older-than", "0s", "--status", "running"}).says("chains do not end as 'running'"));
  CHECK(scene.run({"prune", "--older-than", "30d"}).says("nothing was removed"));
  CHECK(scene.run({"prune", "--older-than", "soon"}).says("'soon' is no span of time"));
  const auto dry = scene.run({"prune", "--older-than", "0s", "--name", "greet*", "--dry-run"});
  CHECK(dry.prints("greeting"));
  CHECK_FALSE(dry.prints("bad"));
  CHECK(dry.says("2 chains would be removed"));
  CHECK(scene.run({"prune", "--older-than", "0s", "--status", "failed"}).says("removed 1 chain"));
  CHECK(scene.run({"list", "-o", "ids"}).out == "b\na\n");
  CHECK(scene.run({"prune", "--older-than", "0s", "--yes"}).says("removed 2 chains"));
  CHECK(scene.run({"list", "-o", "ids"}).out.empty());
}

TEST_CASE("a store is counted and compacted: what removed chains left is gone then") {
  const Scene scene;
  const auto tool = greet(scene);
  for (int chain = 0; chain < 3; ++chain) {
    const auto id = "c" + std::to_string(chain);
    REQUIRE(scene.run({"run", tool, "--id", id, "-p", "name=" + std::string(90'000, static_cast<char>('a' + chain)), "-q"}).code == 0);
  }
  REQUIRE(scene.run({"rm", "c0", "c1"}).code == 0);
  const auto before = json::parse(scene.run({"store", "stats", "-o", "json"}).out);
  CHECK(before.at("chains") == json{{"succeeded", 1}});
  CHECK(before.at("to_collect").at("contents").get<int>() >= 2);
  CHECK(before.at("to_collect").at("bytes").get<int>() > 150'000);
  CHECK(scene.run({"store", "stats"}).prints("nothing refers to"));
  REQUIRE(scene.run({"store", "compact"}).code == 0);
  const auto after = json::parse(scene.run({"store", "stats", "-o", "json"}).out);
  CHECK(after.at("to_collect").at("contents") == 0);
  CHECK(after.at("records").at("blobs").at("count") < before.at("records").at("blobs").at("count"));
  CHECK(scene.run({"store", "verify"}).code == 0);
  CHECK(scene.run({"show", "c2"}).code == 0);
}

TEST_CASE("while a coordinator holds the directory, chains are removed through it, and it is verified and backed up beside it") {
  const Scene scene;
  const auto tool = greet(scene);
  const auto backup = scene.path("backup");
  {
    const Holder holder{scene};
    for (const auto* id : {"one", "two", "three"})
      REQUIRE(scene.run({"run", tool, "--id", id, "-p", "name=x", "-q", "--cluster", holder.address()}).code == 0);
    CHECK(scene.run({"rm", "one", "--cluster", holder.address()}).says("removed 1 chain"));
    CHECK(scene.run({"store", "verify"}).code == 0);
    CHECK(scene.run({"store", "compact"}).says("storage_locked"));
    for (const auto& entry : fs::directory_iterator{scene.data()}) CHECK_FALSE(entry.path().filename().string().starts_with("looked-at"));
    const auto made = scene.run({"store", "backup", backup});
    INFO(made.error);
    CHECK(made.code == 0);
    CHECK(scene.run({"store", "backup", backup}).says("not an empty directory"));
    CHECK(scene.run({"prune", "--older-than", "0s", "--cluster", holder.address()}).says("removed 2 chains"));
  }
  CHECK(scene.run({"store", "restore", backup}).says("not an empty directory"));
  CHECK(scene.run({"store", "restore", backup, "--data-dir", scene.path("restored")}).code == 0);
  CHECK(scene.run({"list", "-o", "ids", "--data-dir", scene.path("restored")}).out == "three\ntwo\n");
  CHECK(scene.run({"store", "verify", "--data-dir", scene.path("restored")}).code == 0);
  CHECK(scene.run({"run", tool, "--id", "four", "-p", "name=x", "-q", "--data-dir", scene.path("restored")}).code == 0);
}

TEST_CASE("a setting of retention that means nothing is refused") {
  const Scene scene;
  const auto tool = greet(scene);
  const auto with = [&](const std::string& value) {
    return scene.shell("CATENA_CHAINS__RETENTION='" + value + "' exec \"$@\"", {"run", tool, "-p", "name=x", "-q"});
  };
  CHECK(with(R"({"succeeded": "1s"})").says("no duration of 1m or more"));
  CHECK(with(R"({"suceeded": "7d"})").says("did you mean 'succeeded'"));
  CHECK(with(R"({"succeeded": "7d", "failed": "30d"})").code == 0);
}

}  // namespace cli_test
