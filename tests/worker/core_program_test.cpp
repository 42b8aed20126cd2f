// run_program.
#include <csignal>
#include <thread>

#include "core_stage.hpp"
#include "support.hpp"

namespace catena::worker::test {

TEST_CASE("run_program runs a program of PATH or by its path, and gives what it wrote") {
  const CoreStage stage;
  CHECK(stage.answer("run_program", {{"command", {"tr", "a-z", "A-Z"}}, {"stdin", "tea"}}) ==
        Json{{"exit_code", 0}, {"stdout", "TEA"}, {"stderr", ""}});
  CHECK(stage.answer("run_program", {{"command", {"/bin/sh", "-c", "echo out; echo err >&2"}}}) ==
        Json{{"exit_code", 0}, {"stdout", "out\n"}, {"stderr", "err\n"}});
  CHECK(stage.answer("run_program", {{"command", {"cat"}}, {"stdin", {{"a", {1, 2}}}}})["stdout"] == R"({"a":[1,2]})");
  CHECK(stage.answer("run_program", {{"command", {"printf", "\\377"}}})["stdout"] == "\xEF\xBF\xBD");
}

TEST_CASE("run_program has no shell: words arrive as they are") {
  const TempDir directory;
  const auto script = directory.script("for word; do printf '<%s>' \"$word\"; done");
  CHECK(CoreStage{}.answer("run_program", {{"command", {script, "a b", "$HOME", "*", ";", "", 7, true}}})["stdout"] ==
        "<a b><$HOME><*><;><><7><true>");
}

TEST_CASE("run_program sees a small environment, and what it is given") {
  CoreStage stage;
  stage.task.attempt = 3;
  ::setenv("CATENA_TEST_SECRET", "s", 1);
  const auto seen = [&](const Json& environment) {
    return stage.answer("run_program", {{"command", {"env"}}, {"environment", environment}})["stdout"].get<std::string>();
  };
  const auto text = seen({{"TZ", "UTC"}, {"OWN", 5}, {"CATENA_ATTEMPT", "9"}});
  ::unsetenv("CATENA_TEST_SECRET");
  CHECK(text.find("SECRET") == std::string::npos);
  CHECK(text.find("TZ=UTC\n") != std::string::npos);
  CHECK(text.find("OWN=5\n") != std::string::npos);
  CHECK(text.find("CATENA_ATTEMPT=3\n") != std::string::npos);
  CHECK(text.find("CATENA_IDEMPOTENCY_KEY=chain/step\n") != std::string::npos);
  for (const auto* wrong : {"A=B", "", "1A", "A B"}) {
    CHECK(stage.code("run_program", {{"command", {"env"}}, {"environment", Json::object({{wrong, "x"}})}}) == "argument_type");
  }
}

TEST_CASE("run_program hands the context of its chain on, and lets nobody make one up") {
  CoreStage stage;
  const auto seen = [&] {
    return stage.answer("run_program", {{"command", {"env"}}, {"environment", {{"CATENA_CONTEXT", "made up"}}}})["stdout"].get<std::string>();
  };
  CHECK(seen().find("CATENA_CONTEXT") == std::string::npos);
  stage.task.context = R"({"user_id":"ann"})";
  CHECK(seen().find("CATENA_CONTEXT={\"user_id\":\"ann\"}\n") != std::string::npos);
}

TEST_CASE("run_program fails on an exit code that was not expected; 75 can be retried") {
  const CoreStage stage;
  const auto script = [](const std::string& text) { return Json{{"command", {"sh", "-c", text}}}; };
  const auto failed = stage.error("run_program", script("echo no such thing >&2; exit 3"));
  CHECK(failed.code == Code::tool_failed);
  CHECK(failed.details == Json{{"exit_code", 3}, {"stderr", "no such thing\n"}});
  CHECK(failed.message == "'sh' failed with exit code 3; stderr ends with: no such thing");
  const auto later = stage.error("run_program", script("exit 75"));
  CHECK(later.code == Code::tool_temporary);
  CHECK(later.retryable);
  auto grep = script("exit 1");
  grep["expected_exit_codes"] = {0, 1};
  CHECK(stage.answer("run_program", grep)["exit_code"] == 1);
  grep["expected_exit_codes"] = {256};
  CHECK(stage.code("run_program", grep) == "argument_type");
  CHECK(stage.code("run_program", script("kill -9 $$")) == "tool_killed");
}

TEST_CASE("run_program says which program is not there, and what a command is") {
  const CoreStage stage;
  CHECK(stage.error("run_program", {{"command", {"no-such-program-anywhere"}}}).message ==
        "builtin 'run_program': there is no program 'no-such-program-anywhere'; give an absolute path, or a name on PATH");
  for (const auto* program : {"/no/such/program", "./tool", "bin/sh"})
    CHECK(stage.code("run_program", {{"command", {program}}}) == "program_not_found");
  CHECK(stage.code("run_program", {{"command", Json::array()}}) == "field_value");
  CHECK(stage.code("run_program", {{"command", {""}}}) == "field_value");
  CHECK(stage.code("run_program", {{"command", {"echo", nullptr}}}) == "argument_type");
  CHECK(stage.code("run_program", {{"command", {"echo", std::string{"a\0b", 3}}}}) == "argument_type");
  CHECK(stage.code("run_program", Json::object()) == "argument_missing");
}

TEST_CASE("run_program is killed with its group at the timeout of the step, when it is stopped, and when it writes too much") {
  const TempDir directory;
  const Signpost signpost{directory};
  CoreStage stage;
  const Json hang{{"command", {"sh", "-c", "sleep 1000 & echo $! >" + signpost.path() + "; wait"}}};
  StopSource stop;
  Result<Json> outcome = fail(Code::internal, "not run");
  std::thread runner{[&] { outcome = stage.run("run_program", hang, stop.token()); }};
  const auto child = signpost.wait();
  stop.request_stop();
  runner.join();
  REQUIRE_FALSE(child.empty());
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == Code::cancelled);
  CHECK(has_ended(std::stoi(child)));
  stage.task.timeout = Millis{20};
  CHECK(stage.code("run_program", {{"command", {"sleep", "1000"}}}) == "tool_timeout");
  stage.task.timeout = Millis{0};
  stage.options.output_bytes_max = 1000;
  CHECK(stage.code("run_program", {{"command", {"yes"}}}) == "tool_output_too_large");
}

}  // namespace catena::worker::test
