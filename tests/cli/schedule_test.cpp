// `catena schedule`: what each verb says and how it ends, in a data directory that nobody else has.
#include "tests/cli/scene.hpp"

namespace cli_test {

TEST_CASE("a schedule is made, listed, shown, changed and deleted") {
  const Scene scene;
  const auto file = scene.define("echo.tool", {{"additional_arguments", true}, {"system_event_endpoint", "builtin:echo"}});
  const auto made = scene.run({"schedule", "create", "nightly", file, "--cron", "0 2 * * *", "--timezone", "Europe/Berlin", "--args", R"({"x": 1})",
                               "--label", "team=red", "--overlap", "queue", "--catchup", "2h"});
  INFO(made.error);
  REQUIRE(made.code == 0);
  CHECK(made.out == "nightly v1\n");
  CHECK(made.says("due at 20"));
  CHECK(made.says("runs begin when a coordinator has this data directory"));
  CHECK(scene.run({"schedule", "create", "nightly", file, "--every", "1h"}).says("version_conflict"));
  CHECK(scene.run({"schedule", "create", "nightly", file, "--every", "1h", "--if-version", "v1"}).out == "nightly v2\n");
  CHECK(scene.run({"schedule", "create", "nightly", file, "--cron", "@daily", "--replace"}).out == "nightly v3\n");
  CHECK(scene.run({"schedule", "create", "weekly", file, "--every", "7d", "--catchup", "48h", "--check"}).code == 0);
  CHECK(scene.run({"schedule", "list", "-o", "name"}).out == "nightly\n");
  CHECK(scene.run({"schedule", "list", "x*", "-o", "name"}).out.empty());
  const auto row = json::parse(scene.run({"schedule", "show", "nightly", "-o", "json"}).out);
  CHECK(row.at("cron") == "@daily");
  CHECK(row.at("overlap") == "skip");
  CHECK(row.at("next").size() == 5);
  CHECK(scene.run({"schedule", "pause", "nightly", "--reason", "maintenance"}).code == 0);
  const auto shown = scene.run({"schedule", "show", "nightly"});
  CHECK(shown.prints(": maintenance"));
  CHECK(shown.prints("runs: 0 begun, 0 skipped, 0 missed, 0 refused"));
  CHECK(scene.run({"schedule", "resume", "nightly"}).code == 0);
  const auto triggered = scene.run({"schedule", "trigger", "nightly"});
  CHECK(triggered.out.starts_with("nightly-20"));
  CHECK(json::parse(scene.run({"schedule", "show", "nightly", "-o", "json"}).out).at("running").at(0).at("status") == "beginning");
  CHECK(scene.run({"schedule", "backfill", "nightly", "--from", "2026-01-01", "--until", "2026-01-10"}).prints("10 runs are ordered"));
  CHECK(scene.run({"schedule", "delete", "nightly"}).out == "nightly is deleted\n");
  CHECK(scene.run({"schedule", "delete", "nightly"}).code == 4);
  CHECK(scene.run({"schedule", "show", "nightly"}).code == 4);
  CHECK(scene.run({"store", "verify"}).code == 0);
}

TEST_CASE("what is wrong with a schedule is said, and nothing is made") {
  const Scene scene;
  const auto file = scene.define("echo.tool", {{"additional_arguments", true}, {"system_event_endpoint", "builtin:echo"}});
  const auto refused = [&](std::vector<std::string> more, const std::string& words) {
    std::vector<std::string> all{"schedule", "create", "s", file};
    all.insert(all.end(), more.begin(), more.end());
    const auto ran = scene.run(all);
    INFO(ran.error);
    CHECK(ran.code == 2);
    CHECK(ran.says(words));
  };
  refused({}, "schedule_invalid");
  refused({"--cron", "61 * * * *"}, "minute");
  refused({"--cron", "* * * * *", "--timezone", "Europe/Berln"}, "Europe/Berlin");
  refused({"--every", "500ms"}, "whole number of seconds");
  refused({"--every", "10s", "--cron", "* * * * *"}, "--every");
  refused({"--every", "10s", "--overlap", "wait"}, "--overlap");
  CHECK(scene.run({"schedule", "create", "a/b", file, "--every", "10s"}).says("id_invalid"));
  CHECK(scene.run({"schedule", "create", "s", file, "--every", "10s", "--check"}).code == 0);
  CHECK(scene.run({"schedule", "list", "-o", "name"}).out.empty());
}

}  // namespace cli_test
