// A chain that is started with --detach goes on without the command that started it.
#include "storage/rocks_kv.hpp"
#include "tests/cluster/shell.hpp"
#include "tests/system/process.hpp"
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

/// A step that waits until the file `go` is there.
std::string waits_for_go(const Folder& folder) {
  folder.write("wait.sh",
               "#!/bin/sh\ncat > /dev/null\nuntil [ -e '" + (folder / "go").string() +
                   "' ]; do [ -e \"$0\" ] || exit 1; sleep 0.02; done\necho '{\"n\": 1}'\n",
               true);
  const Json tool{{"arguments", Json::array()}, {"system_event_endpoint", "exec:wait.sh"}};
  const Json definition{{"instructions", {{{"execution_id", "wait"}, {"tool_definition", tool}}}}, {"response_reference_map", {{"n", "REF:wait.n"}}}};
  return folder.write("wait.tool", definition.dump()).string();
}

class Commands {
 public:
  explicit Commands(const Folder& folder) : folder_{folder} {}
  int run(std::vector<std::string> words) const {
    words.insert(words.begin(), CATENA_BINARY);
    words.insert(words.end(), {"--data-dir", data()});
    Process process{words, folder_ / "out", folder_ / "error"};
    return process.wait();
  }
  [[nodiscard]] std::string out() const { return read_text(folder_ / "out"); }
  [[nodiscard]] std::string error() const { return read_text(folder_ / "error"); }
  [[nodiscard]] std::string data() const { return (folder_ / "data").string(); }
  /// Nobody holds the directory any more.
  [[nodiscard]] bool free() const { return catena::storage::RocksKv::open(data(), {}).has_value(); }

 private:
  const Folder& folder_;
};

TEST_CASE("run --detach prints the id and ends; the chains go on side by side, and their processes leave when they are done") {
  const Folder folder;
  const Commands catena{folder};
  const auto definition = waits_for_go(folder);
  REQUIRE(catena.run({"run", definition, "--id", "first", "--detach"}) == 0);
  CHECK(catena.out() == "first\n");
  REQUIRE(catena.run({"run", definition, "--id", "second", "--detach", "-o", "json"}) == 0);
  CHECK(Json::parse(catena.out()) == Json{{"chain_id", "second"}});
  REQUIRE(catena.run({"list", "-o", "json", "--status", "running"}) == 0);
  CHECK(catena.out().find("first") != std::string::npos);
  CHECK(catena.out().find("second") != std::string::npos);
  folder.write("go", "");
  for (const std::string chain : {"first", "second"}) {
    INFO(catena.error());
    REQUIRE(catena.run({"wait", chain, "-o", "json"}) == 0);
    CHECK(Json::parse(catena.out()).at("response").at("n") == 1);
  }
  CHECK(cluster_test::eventually(std::chrono::milliseconds{30'000}, [&] { return catena.free(); }));
}

TEST_CASE("run --detach that cannot begin says why and leaves nothing behind") {
  const Folder folder;
  const Commands catena{folder};
  CHECK(catena.run({"run", (folder / "none.tool").string(), "--id", "first", "--detach"}) == 2);
  CHECK(catena.error().find("none.tool") != std::string::npos);
  CHECK(catena.out().empty());
  CHECK(catena.run({"run", waits_for_go(folder), "--detach", "--verbose"}) == 2);
  CHECK(catena.error().find("have no effect with --detach") != std::string::npos);
}

}  // namespace
}  // namespace system_test
