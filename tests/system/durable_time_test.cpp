// Waits and deadlines over kill -9: they pass at their time, or when somebody is there again, and once.
#include <chrono>
#include <thread>

#include "base/iso8601.hpp"
#include "base/time_zone.hpp"
#include "tests/system/scene.hpp"

namespace system_test {
namespace {

using catena::iso8601;
using catena::Millis;
using catena::TimeZone;
using catena::UnixMillis;

UnixMillis wall_clock() { return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch()).count(); }
void sleep_for(Millis span) { std::this_thread::sleep_for(span); }

/// A step that leaves a mark, what comes next, and a final step that leaves one too.
class Night {
 public:
  Night(const Folder& folder, const Json& middle) : folder_{folder} {
    std::ofstream{folder_ / "log"}.flush();
    const auto mark =
        folder.write("mark.sh", "#!/bin/sh\necho \"$CATENA_IDEMPOTENCY_KEY\" >>'" + (folder_ / "log").string() + "'\necho '{}'\n", true);
    const Json tool{{"additional_arguments", true}, {"system_event_endpoint", "exec:" + mark.string()}};
    auto rest = middle;
    rest["execution_id"] = "rest";
    rest["dependencies"] = {"mark"};
    const Json definition{
        {"instructions",
         {{{"execution_id", "mark"}, {"tool_definition", tool}}, rest, {{"execution_id", "clean"}, {"tool_definition", tool}, {"finally", true}}}},
        {"response_reference_map", {{"rest", "REF:rest.response"}}}};
    definition_ = folder.write("night.tool", definition.dump());
  }

  [[nodiscard]] Process catena(std::vector<std::string> words) const {
    words.insert(words.begin(), CATENA_BINARY);
    words.insert(words.end(), {"--data-dir", (folder_ / "data").string(), "-o", "json"});
    return Process{words, folder_ / "out", folder_ / "error"};
  }
  [[nodiscard]] Process run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"run", definition_.string(), "--id", kChain.value};
    words.insert(words.end(), more.begin(), more.end());
    return catena(words);
  }
  /// Until the first step has left its mark, and that is recorded.
  void await_mark(Process& process) const {
    REQUIRE(wait_for_writes(folder_ / "log", process, [&] { return marks("mark") == 1; }));
    for (int looks = 0; looks < 200 && !is_marked(); ++looks) sleep_for(Millis{50});
    REQUIRE(is_marked());
  }
  [[nodiscard]] Process resume() const { return catena({"resume", kChain.value}); }
  [[nodiscard]] std::size_t marks(const std::string& step) const {
    return static_cast<std::size_t>(std::ranges::count(read_lines(folder_ / "log"), kChain.value + "/" + step));
  }
  [[nodiscard]] Json answer() const { return Json::parse(read_text(folder_ / "out")); }
  [[nodiscard]] std::string errors() const { return read_text(folder_ / "error"); }

 private:
  [[nodiscard]] bool is_marked() const {
    Process look{
        {CATENA_BINARY, "show", kChain.value, "--data-dir", (folder_ / "data").string(), "-o", "json"}, folder_ / "look", folder_ / "look-error"};
    return look.wait() == 0 && Json::parse(read_text(folder_ / "look")).at("steps").at(0).at("status") == "completed";
  }

  const Folder& folder_;
  fs::path definition_;
};

Json waits(const Json& arguments) { return {{"tool_definition_path", "/tools/core/wait.tool"}, {"arguments", arguments}}; }

TEST_CASE("a wait until clocks show a time goes on behind kill -9, and ends when they do") {
  const Folder folder;
  const auto due = wall_clock() / 1000 * 1000 + 10'000;
  auto local = iso8601(TimeZone::find("Asia/Tokyo").value().local_at(due).count());
  local.pop_back();  // the Z
  const Night night{folder, waits({{"until", local}, {"timezone", "Asia/Tokyo"}})};
  for (int kills = 0; kills < 3; ++kills) {
    auto process = kills == 0 ? night.run() : night.resume();
    if (kills == 0)
      night.await_mark(process);
    else
      sleep_for(Millis{300});
    process.kill(SIGKILL);
    REQUIRE(process.wait() == -SIGKILL);
  }
  auto process = night.resume();
  const auto code = process.wait();
  INFO(night.errors());
  REQUIRE(code == 0);
  CHECK(wall_clock() >= due);
  const auto rest = night.answer().at("response").at("rest");
  CHECK(rest.at("until") == iso8601(due));
  CHECK(rest.at("woke_at") >= rest.at("until"));
  CHECK(night.marks("mark") == 1);
  CHECK(night.marks("clean") == 1);
}

TEST_CASE("a wait whose time passes while nobody is there ends when somebody is") {
  const Folder folder;
  const auto due = wall_clock() + 6000;
  const Night night{folder, waits({{"until", iso8601(due)}})};
  auto process = night.run();
  night.await_mark(process);
  process.kill(SIGKILL);
  REQUIRE(process.wait() == -SIGKILL);
  sleep_for(Millis{std::max<UnixMillis>(due - wall_clock(), 0) + 1500});
  auto resumed = night.resume();
  REQUIRE(resumed.wait() == 0);
  const auto rest = night.answer().at("response").at("rest");
  CHECK(rest.at("until") == iso8601(due));
  CHECK(rest.at("woke_at") >= iso8601(due + 1500));
  CHECK(night.marks("mark") == 1);
}

TEST_CASE("the deadline of a chain passes over kill -9, also while nobody is there, and its final step runs once") {
  const Folder folder;
  const Night night{folder, waits({{"for", "1h"}})};
  auto process = night.run({"--deadline", "8s"});
  night.await_mark(process);
  process.kill(SIGKILL);
  REQUIRE(process.wait() == -SIGKILL);
  bool absent = false;
  SECTION("somebody is there again before it passes") {}
  SECTION("nobody is") { absent = true; }
  if (absent) sleep_for(Millis{8500});
  auto resumed = night.resume();
  const auto code = resumed.wait();
  INFO(night.errors());
  CHECK(code == 1);
  CHECK(night.answer().at("error").at("code") == "chain_deadline");
  CHECK(night.marks("mark") == 1);
  CHECK(night.marks("clean") == 1);
}

}  // namespace
}  // namespace system_test
