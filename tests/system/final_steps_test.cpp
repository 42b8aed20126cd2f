// Final steps run over kill -9 and cancellations, once each: what a step has made is removed however the chain ends.
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

Json tool(const std::string& program) { return {{"additional_arguments", true}, {"system_event_endpoint", "exec:" + program}}; }

/// `make` makes a folder; `use` works on it for as long as the file "go" is missing, then fails or does not, as it is told; `clean` takes it away.
class Workshop {
 public:
  explicit Workshop(const Folder& folder) : folder_{folder} {
    const auto log = [&](const std::string& body) { return "#!/bin/sh\ncd " + root_.string() + "\necho \"$CATENA_IDEMPOTENCY_KEY\" >>log\n" + body; };
    fs::create_directories(root_);
    std::ofstream{root_ / "log"}.flush();
    const auto make = folder.write("make.sh", log("mkdir table && echo '{\"table\": \"table\"}'\n"), true);
    const auto use = folder.write("use.sh", log("while [ ! -e go ]; do sleep 0.02; done\ncat go >&2\n[ -s go ] && exit 1\necho '{}'\n"), true);
    const auto clean = folder.write("clean.sh", log("while [ -e hold ]; do sleep 0.02; done\nrmdir table && echo '{}'\n"), true);
    const Json definition{{"instructions",
                           {{{"execution_id", "make"}, {"tool_definition", tool(make.string())}},
                            {{"execution_id", "use"}, {"tool_definition", tool(use.string())}, {"arguments", {{"table", "REF:make.table"}}}},
                            {{"execution_id", "clean"},
                             {"tool_definition", tool(clean.string())},
                             {"arguments", {{"table", "REF:make.table"}}},
                             {"conditions", Json::array({{{"param", "REF:make.status"}, {"operator", "equals"}, {"value", "completed"}}})},
                             {"finally", true}}}}};
    definition_ = folder.write("work.tool", definition.dump());
  }

  [[nodiscard]] Process catena(std::vector<std::string> words) const {
    words.insert(words.begin(), CATENA_BINARY);
    words.insert(words.end(), {"--data-dir", (folder_ / "data").string()});
    return Process{words, folder_ / "out", folder_ / "error"};
  }
  [[nodiscard]] Process run() const { return catena({"run", definition_.string(), "--id", kChain.value, "-q"}); }
  [[nodiscard]] std::size_t begun(const std::string& key) const {
    return static_cast<std::size_t>(std::ranges::count(read_lines(root_ / "log"), key));
  }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(root_ / name); }
  [[nodiscard]] bool wait_until(const Process& process, const std::string& key) const {
    return wait_for_writes(root_ / "log", process, [&] { return begun(key) > 0; });
  }
  void put(const std::string& name, const std::string& text = {}) const { std::ofstream{root_ / name} << text; }
  void remove(const std::string& name) const { fs::remove(root_ / name); }
  [[nodiscard]] std::string status() const {
    REQUIRE(catena({"show", kChain.value, "-o", "json"}).wait() == 0);
    return Json::parse(read_text(folder_ / "out")).at("status");
  }

 private:
  const Folder& folder_;
  fs::path root_ = folder_ / "root";
  fs::path definition_;
};

TEST_CASE("a chain that fails has removed what it made") {
  const Folder folder;
  const Workshop shop{folder};
  shop.put("go", "no such thing");
  CHECK(shop.run().wait() == 1);
  CHECK(shop.begun("work/clean") == 1);
  CHECK_FALSE(shop.has("table"));
}

TEST_CASE("a chain whose process was killed and that is cancelled then removes what it made") {
  const Folder folder;
  const Workshop shop{folder};
  auto process = shop.run();
  REQUIRE(shop.wait_until(process, "work/use"));
  process.kill(SIGKILL);
  REQUIRE(process.wait() == -SIGKILL);
  CHECK(shop.has("table"));
  CHECK(shop.catena({"cancel", kChain.value, "--reason", "enough"}).wait() == 0);
  CHECK(shop.status() == "cancelled");
  CHECK_FALSE(shop.has("table"));
  CHECK(shop.begun("work/use") == 1);
  CHECK(shop.begun("work/clean") == 1);
}

TEST_CASE("a chain that is cancelled now leaves what it made") {
  const Folder folder;
  const Workshop shop{folder};
  auto process = shop.run();
  REQUIRE(shop.wait_until(process, "work/use"));
  process.kill(SIGKILL);
  REQUIRE(process.wait() == -SIGKILL);
  CHECK(shop.catena({"cancel", kChain.value, "--now"}).wait() == 0);
  CHECK(shop.status() == "cancelled");
  CHECK(shop.has("table"));
  CHECK(shop.begun("work/clean") == 0);
}

TEST_CASE("a final step whose process was killed is made again, and the chain's first error stays") {
  const Folder folder;
  const Workshop shop{folder};
  shop.put("go", "the first error");
  shop.put("hold");
  auto process = shop.run();
  REQUIRE(shop.wait_until(process, "work/clean"));
  process.kill(SIGKILL);
  REQUIRE(process.wait() == -SIGKILL);
  shop.remove("hold");
  CHECK(shop.catena({"resume", kChain.value, "-q"}).wait() == 1);
  CHECK(read_text(folder / "error").find("the first error") != std::string::npos);
  CHECK(shop.begun("work/use") == 1);
  CHECK_FALSE(shop.has("table"));
}

}  // namespace
}  // namespace system_test
