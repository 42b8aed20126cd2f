#include "worker/executors/serve.hpp"

#include <catch2/catch.hpp>

#include <signal.h>

#include <filesystem>
#include <set>
#include <thread>

#include "lang/program/description.hpp"
#include "tests/worker/memory_files.hpp"
#include "tests/worker/support.hpp"

namespace catena::worker::test {
namespace {

using Catch::Matchers::Contains;

Task serve_task(const Json& arguments = Json::object(), std::vector<std::string> args = {}) {
  Task task;
  task.key = "chain/step/7";
  task.name = "probe";
  task.endpoint = {.kind = "serve", .target = SERVE_TOOL, .args = std::move(args)};
  task.arguments.text = arguments.dump();
  return task;
}

Json serve_response(Executor& executor, const Task& task) {
  const auto outcome = executor.run(task, {});
  if (!outcome.response) FAIL(render(outcome.response.error()));
  return Json::parse(outcome.response->text);
}

pid_t pid(Executor& executor, const Task& task = serve_task()) { return serve_response(executor, task)["pid"].get<pid_t>(); }

Error serve_failure(Executor& executor, const Task& task) {
  auto outcome = executor.run(task, {});
  if (outcome.response) FAIL(outcome.response->text);
  return outcome.response.error();
}

}  // namespace

TEST_CASE("a call carries the arguments, the idempotency key, the attempt and the timeout") {
  const auto executor = make_serve_executor();
  auto task = serve_task({{"text", "a \"b\" \n c"}}, {"--fast"});
  task.attempt = 3;
  task.timeout = Millis{9000};
  const auto response = serve_response(*executor, task);
  CHECK(response["arguments"] == Json{{"text", "a \"b\" \n c"}});
  CHECK(response["idempotency_key"] == "chain/step/7");
  CHECK(response["attempt"] == 3);
  CHECK(response["timeout_ms"] == 9000);
  CHECK(response["method"] == "call");
  CHECK(response["arg"] == "--fast");
  CHECK_FALSE(serve_response(*executor, serve_task()).contains("timeout_ms"));
}

TEST_CASE("a call has the context of its chain, and no such member where there is none") {
  const auto executor = make_serve_executor();
  auto task = serve_task();
  CHECK_FALSE(serve_response(*executor, task).contains("context"));
  task.context = R"({"user_id":"ann"})";
  CHECK(serve_response(*executor, task)["context"] == Json{{"user_id", "ann"}});
  CHECK_FALSE(serve_response(*executor, task).contains("traceparent"));
  task.order = traced_order();
  CHECK(serve_response(*executor, task)["traceparent"] == traceparent_of(task));
  CHECK(serve_response(*executor, task)["tracestate"] == "a=1");
}

TEST_CASE("arguments over several lines travel in one") {
  const auto executor = make_serve_executor();
  auto task = serve_task();
  task.arguments.text = "{\n  \"a\":\n [1,\n2]\n}";
  CHECK(serve_response(*executor, task)["arguments"] == Json{{"a", {1, 2}}});
}

TEST_CASE("a served tool finds its files in a work directory of each call, and returns some of it") {
  MemoryFiles files;
  files.add("/in/a.txt", "one");
  const auto executor = make_serve_executor({.files = &files});
  std::set<std::string> directories;
  for (const auto* key : {"chain/copy/0", "chain/copy/1"}) {
    auto task = serve_task({{"do", "copy"}, {"doc", "/in/a.txt"}});
    task.key = key;
    task.file_arguments = {"doc"};
    task.file_responses = {"copied"};
    const auto response = serve_response(*executor, task);
    const auto copied = response["copied"].get<std::string>();
    CHECK(copied == std::string{"/chains/"} + key + "/copied/copy.txt");
    CHECK(files.read(copied, "").value() == "one");
    const auto directory = response["work_dir"].get<std::string>();
    CHECK_FALSE(std::filesystem::exists(directory));
    directories.insert(directory);
  }
  CHECK(directories.size() == 2);
  CHECK_FALSE(serve_response(*executor, serve_task()).contains("work_dir"));
}

TEST_CASE("a child serves many calls, and another endpoint has its own") {
  const auto executor = make_serve_executor();
  const auto first = pid(*executor);
  for (int round = 0; round < 50; ++round) CHECK(pid(*executor) == first);
  CHECK(pid(*executor, serve_task(Json::object(), {"other"})) != first);
  CHECK(pid(*executor) == first);
  CHECK(serve_response(*executor, serve_task())["group"] == first);
}

TEST_CASE("slots that call at the same time have a child each, and no more are started") {
  const auto executor = make_serve_executor();
  std::mutex mutex;
  std::set<pid_t> pids;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        const auto outcome = executor->run(serve_task(), {});
        const std::scoped_lock lock{mutex};
        pids.insert(outcome.response ? Json::parse(outcome.response->text)["pid"].get<pid_t>() : 0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK_FALSE(pids.contains(0));
  CHECK(pids.size() <= 4);
}

TEST_CASE("a child that dies under a call is a killed tool, worth another attempt, and is replaced") {
  const auto executor = make_serve_executor();
  const auto before = pid(*executor);
  auto error = serve_failure(*executor, serve_task({{"do", "exit"}, {"code", 3}, {"stderr", "first\nout of luck\n"}}));
  CHECK(error.code == Code::tool_killed);
  CHECK(error.retryable);
  CHECK(error.message == "tool 'probe' ended with exit code 3 before it answered; stderr ends with: out of luck");
  CHECK(error.details["exit_code"] == 3);
  CHECK(error.details["stderr"] == "first\nout of luck\n");
  error = serve_failure(*executor, serve_task({{"do", "crash"}}));
  CHECK(error.code == Code::tool_killed);
  CHECK(error.details["signal"] == "SIGABRT");
  CHECK(serve_failure(*executor, serve_task({{"do", "close"}})).code == Code::tool_killed);
  CHECK(pid(*executor) != before);
}

TEST_CASE("a child that died while it had no work is replaced, and no call fails for it") {
  const auto executor = make_serve_executor();
  const auto first = pid(*executor);
  ::kill(first, SIGKILL);
  REQUIRE(has_ended(first));
  const auto second = pid(*executor, serve_task({{"then_exit", true}}));
  CHECK(second != first);
  REQUIRE(has_ended(second));
  CHECK(pid(*executor) != second);
}

TEST_CASE("what is not the protocol ends the child") {
  const auto executor = make_serve_executor();
  for (const auto* what : {"garbage", "number", "other_id", "nothing"}) {
    INFO(what);
    const auto before = pid(*executor);
    const auto error = serve_failure(*executor, serve_task({{"do", what}}));
    CHECK(error.code == Code::tool_output_invalid);
    CHECK_FALSE(error.retryable);
    CHECK_THAT(error.message, Contains("what tool 'probe' wrote to stdout ") && Contains("; the line begins with: "));
    CHECK(has_ended(before));
    CHECK(pid(*executor) != before);
  }
  CHECK_THAT(serve_failure(*executor, serve_task({{"do", "garbage"}})).message, Contains("is not JSON") && Contains("this is no JSON"));
}

TEST_CASE("a child that says more than it was asked answers, and is not asked again") {
  const auto executor = make_serve_executor();
  const auto before = pid(*executor);
  CHECK(serve_response(*executor, serve_task({{"more", true}}))["pid"] == before);
  CHECK(pid(*executor) != before);
}

TEST_CASE("a result is an object; null stands for an empty one") {
  const auto executor = make_serve_executor();
  const auto before = pid(*executor);
  CHECK(serve_response(*executor, serve_task({{"do", "result"}, {"result", nullptr}})) == Json::object());
  const auto error = serve_failure(*executor, serve_task({{"do", "result"}, {"result", {1, 2}}}));
  CHECK(error.code == Code::tool_output_invalid);
  CHECK(error.message == "the result of tool 'probe' is a JSON list and not an object; it begins with: [1,2]");
  CHECK(pid(*executor) == before);
}

TEST_CASE("an error of the tool is a failure, retryable as it says") {
  const auto executor = make_serve_executor();
  const auto before = pid(*executor);
  const auto told = [&](const Json& error) { return serve_failure(*executor, serve_task({{"do", "error"}, {"error", error}, {"stderr", "hm\n"}})); };
  auto error = told({{"code", -3}, {"message", "no such row"}});
  CHECK(error.code == Code::tool_failed);
  CHECK_FALSE(error.retryable);
  CHECK_THAT(error.message, Contains("tool 'probe' failed: no such row"));
  CHECK(error.details["rpc_code"] == -3);
  error = told({{"code", 1}, {"message", "busy"}, {"data", {{"retryable", true}, {"code", "row_locked"}, {"retry_after_ms", 50}}}});
  CHECK(error.retryable);
  CHECK(error.details["data"]["code"] == "row_locked");
  CHECK(error.details["retry_after_ms"] == 50);
  error = told({{"code", 1}, {"message", "the line broke"}, {"data", {{"in_doubt", true}}}});
  CHECK(error.code == Code::in_doubt);
  CHECK(error.retryable);
  CHECK_FALSE(told({{"code", 1}, {"data", {{"in_doubt", true}, {"retryable", false}}}}).retryable);
  CHECK(told({{"code", 1}, {"data", {{"in_doubt", "yes"}}}}).code == Code::tool_failed);
  CHECK_THAT(told("just a text").message, Contains("it gave no message"));
  CHECK(pid(*executor) == before);
}

TEST_CASE("large arguments and large results pass, over the limit they do not") {
  ExecutorOptions options;
  options.output_bytes_max = 2UL << 20U;
  const auto executor = make_serve_executor(options);
  const std::string large(3UL << 20U, 'y');
  auto task = serve_task({{"do", "large"}, {"bytes", 1UL << 20U}, {"filler", large}});
  CHECK(serve_response(*executor, task)["text"].get<std::string>().size() == 1UL << 20U);
  const auto before = pid(*executor);
  for (const auto& arguments : {Json{{"do", "large"}, {"bytes", 3UL << 20U}}, Json{{"do", "endless"}}}) {
    const auto error = serve_failure(*executor, serve_task(arguments));
    CHECK(error.code == Code::tool_output_too_large);
    CHECK(error.message == "tool 'probe' answered with more than 2097152 bytes; return a path instead of the content");
  }
  CHECK(has_ended(before));
}

TEST_CASE("a timeout ends the child and all of its group, also one that ignores SIGTERM") {
  ExecutorOptions options;
  options.term_grace = Millis{20};
  const auto executor = make_serve_executor(options);
  const TempDir directory;
  const Signpost signpost{directory};
  auto task = serve_task({{"do", "hang"}, {"with_child", true}, {"stubborn", true}, {"signpost", signpost.path()}});
  task.timeout = Millis{1500};
  const auto error = serve_failure(*executor, task);
  CHECK(error.code == Code::tool_timeout);
  CHECK(error.retryable);
  CHECK(error.message == "tool 'probe' was ended after its timeout of 1500ms");
  const auto grandchild = signpost.wait();
  REQUIRE_FALSE(grandchild.empty());
  CHECK(has_ended(std::stoi(grandchild)));
}

TEST_CASE("a stop ends the call and the child") {
  const auto executor = make_serve_executor();
  const TempDir directory;
  const Signpost signpost{directory};
  StopSource source;
  std::string said;
  std::thread stopper{[&] {
    said = signpost.wait();
    source.request_stop();
  }};
  const auto outcome = executor->run(serve_task({{"do", "hang"}, {"signpost", signpost.path()}}), source.token());
  stopper.join();
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::cancelled);
  REQUIRE_FALSE(said.empty());
  CHECK(has_ended(std::stoi(said)));
  CHECK(executor->run(serve_task(), source.token()).response.error().code == Code::cancelled);
}

TEST_CASE("stderr is kept by call, its end only, and a flood of it holds up nothing") {
  ExecutorOptions options;
  options.stderr_bytes_kept = 1000;
  const auto executor = make_serve_executor(options);
  const auto outcome = executor->run(serve_task({{"stderr", std::string(200'000, 'e') + "end"}}), {});
  REQUIRE(outcome.response);
  CHECK(outcome.stderr_tail.size() <= 1000);
  const auto error = serve_failure(*executor, serve_task({{"do", "exit"}, {"code", 1}, {"stderr", "only this\n"}}));
  CHECK_THAT(error.message, Contains("stderr ends with: only this"));
}

TEST_CASE("a tool sees the allowed environment and nothing else") {
  ::setenv("CATENA_TEST_SECRET", "s3cret", 1);
  const auto executor = make_serve_executor();
  const auto variables = serve_response(*executor, serve_task({{"do", "environment"}}))["variables"].dump();
  ::unsetenv("CATENA_TEST_SECRET");
  CHECK_THAT(variables, Contains("PATH=") && !Contains("s3cret"));
}

TEST_CASE("all children end with the executor") {
  std::vector<pid_t> pids;
  {
    const auto executor = make_serve_executor();
    for (const auto* arg : {"a", "b", "c"}) pids.push_back(pid(*executor, serve_task(Json::object(), {arg})));
  }
  for (const auto child : pids) CHECK(has_ended(child));
}

TEST_CASE("of more idle children than are kept the one that waits longest is ended") {
  const auto executor = make_serve_executor();
  const auto first = pid(*executor, serve_task(Json::object(), {"0"}));
  const auto second = pid(*executor, serve_task(Json::object(), {"1"}));
  for (std::size_t index = 2; index <= kServeIdleMax; ++index) static_cast<void>(pid(*executor, serve_task(Json::object(), {std::to_string(index)})));
  CHECK(has_ended(first));
  CHECK(pid(*executor, serve_task(Json::object(), {"1"})) == second);
}

TEST_CASE("a served program that cannot be started says why") {
  const auto executor = make_serve_executor();
  auto task = serve_task();
  task.endpoint.target = "/does/not/exist";
  const auto error = serve_failure(*executor, task);
  CHECK(error.code == Code::tool_not_started);
  CHECK_THAT(error.message, Contains("tool 'probe'") && Contains("/does/not/exist"));
}

// ---- several tools in one program ----------------------------------------------------------------------------------

namespace {

/// A task of a tool that takes an integer `n`, of a program that describes itself as `answer` says.
Task served_task(const std::string& tool, const std::string& answer, lang::Type type = lang::Type::integer) {
  lang::Schema arguments;
  arguments.fields.push_back({"n", type, "", true, std::nullopt, {}});
  auto task = serve_task({{"n", 1}}, {answer, "#" + tool});
  task.endpoint.args = lang::described_arguments(task.endpoint, arguments, {});
  return task;
}

const std::string kTwoTools =
    R"({"tools":[{"name":"a","arguments":[{"name":"n","type_name":"integer","required":true}]},{"name":"b","arguments":[{"name":"n","type_name":"integer","required":true}]}]})";

}  // namespace

TEST_CASE("a program that serves several tools is told which, and one child serves all of them") {
  const auto executor = make_serve_executor();
  const auto first = serve_response(*executor, served_task("a", kTwoTools));
  CHECK(first["tool"] == "a");
  CHECK(first["arg"] == kTwoTools);
  const auto second = serve_response(*executor, served_task("b", kTwoTools));
  CHECK(second["tool"] == "b");
  CHECK(second["pid"] == first["pid"]);
  CHECK_FALSE(serve_response(*executor, serve_task()).contains("tool"));
}

TEST_CASE("a child that describes a tool otherwise than the chain has pinned it is not called") {
  const auto executor = make_serve_executor();
  const auto error = serve_failure(*executor, served_task("a", kTwoTools, lang::Type::string));
  CHECK(error.code == Code::tool_not_started);
  CHECK_FALSE(error.retryable);
  CHECK_THAT(error.message, Contains("tool 'probe' was not called: its program describes it otherwise than the definition that the chain has pinned: "
                                     "the type of the argument 'n' is \"string\" in the definition and \"integer\" in the program"));
  const auto unknown = serve_failure(*executor, served_task("c", kTwoTools));
  CHECK(unknown.code == Code::tool_not_started);
  CHECK_THAT(unknown.message, Contains("its program serves no tool 'c'"));
  // and the next child is none the worse for it
  CHECK(serve_response(*executor, served_task("a", kTwoTools))["tool"] == "a");
}

TEST_CASE("a child that cannot describe itself is called all the same") {
  const auto executor = make_serve_executor();
  const auto response = serve_response(*executor, served_task("a", ""));
  CHECK(response["tool"] == "a");
  CHECK(serve_response(*executor, served_task("b", ""))["pid"] == response["pid"]);
}

TEST_CASE("of a child that breaks when it is asked for its tools nobody has to wonder whether the tool was called") {
  const auto executor = make_serve_executor();
  const auto died = serve_failure(*executor, served_task("a", "exit"));
  CHECK(died.code == Code::tool_not_started);
  CHECK(died.retryable);
  const auto garbage = serve_failure(*executor, served_task("a", "garbage"));
  CHECK(garbage.code == Code::tool_output_invalid);
  CHECK_THAT(garbage.message, Contains("asked to describe its tools"));
  CHECK(serve_failure(*executor, served_task("a", "[]")).code == Code::tool_output_invalid);
  auto hanging = served_task("a", "hang");
  hanging.timeout = Millis{50};
  const auto timeout = serve_failure(*executor, hanging);
  CHECK(timeout.code == Code::tool_not_started);
  CHECK(timeout.retryable);
  CHECK_THAT(timeout.message, Contains("did not describe itself within 50ms"));
}

}  // namespace catena::worker::test
