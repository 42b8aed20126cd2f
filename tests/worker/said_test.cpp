// Processes of tools that say something while they run: on descriptor 3, and as notifications of a child that serves.
#include <catch2/catch.hpp>

#include <mutex>

#include "tests/worker/support.hpp"
#include "worker/executors/exec.hpp"
#include "worker/executors/serve.hpp"

namespace catena::worker::test {
namespace {

/// What was passed on while attempts ran.
struct Heard {
  std::mutex mutex;
  std::vector<actors::AttemptNote> notes;
  ExecutorOptions options() {
    ExecutorOptions options;
    options.notify = [this](actors::AttemptNote note) {
      const std::scoped_lock lock{mutex};
      notes.push_back(std::move(note));
    };
    options.term_grace = Millis{50};
    return options;
  }
};

Task speaking(std::string program) {
  auto task = exec_task(std::move(program));
  task.order = std::make_shared<const TaskOrder>(TaskOrder{"chain", 5, "step", 1});
  task.item = 7;
  return task;
}

/// A script that says these lines on its descriptor.
std::string saying(const std::string& lines, const std::string& then = "") {
  return "cat >&\"$CATENA_NOTIFY_FD\" <<'END'\n" + lines + "\nEND\n" + then;
}
const std::string kRow = R"({"method":"checkpoint","params":{"state":{"row":3}}})";
const std::string kServes = R"(read -r call; id=${call#*'"id":'}; id=${id%%,*}
)";

Outcome run_said(const Task& task, const ExecutorOptions& options) { return make_exec_executor(options)->run(task, {}); }

}  // namespace

TEST_CASE("what an exec: tool says on its descriptor is passed on, and comes with what became of it") {
  const TempDir directory;
  Heard heard;
  const auto task = speaking(directory.script(saying(R"({"method":"progress","params":{"done":3,"of":9,"text":"rows"}})"
                                                     "\n" +
                                                         kRow +
                                                         "\n"
                                                         R"({"method":"usage","params":{"tokens":4}})",
                                                     "exit 75")));
  const auto outcome = run_said(task, heard.options());
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::tool_temporary);
  CHECK(outcome.checkpoint == R"({"row":3})");
  CHECK(outcome.usage == std::map<std::string, std::int64_t>{{"tokens", 4}});
  REQUIRE_FALSE(heard.notes.empty());
  CHECK(heard.notes.front().chain == "chain");
  CHECK(heard.notes.front().grant == 5);
  CHECK(heard.notes.front().item == 7);
  CHECK(heard.notes.front().done == 3);
  CHECK(heard.notes.front().text == "rows");
}

TEST_CASE("an attempt that is killed leaves the last checkpoint that it sent, and a line that it was killed within does not count") {
  const TempDir directory;
  Heard heard;
  const auto task = speaking(directory.script(saying(kRow, R"(printf '{"method":"checkpoint","par' >&3; kill -9 $$)")));
  const auto outcome = run_said(task, heard.options());
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::tool_killed);
  CHECK(outcome.checkpoint == R"({"row":3})");

  auto late = speaking(directory.script(saying(kRow, "exec sleep 60"), "late.sh"));
  late.timeout = Millis{300};
  const auto timed_out = run_said(late, heard.options());
  CHECK(timed_out.response.error().code == Code::tool_timeout);
  CHECK(timed_out.checkpoint == R"({"row":3})");
}

TEST_CASE("an attempt that goes on from a checkpoint is told it; one that succeeds leaves none") {
  const TempDir directory;
  auto task = speaking(directory.script(saying(kRow, R"(printf '{"from":%s}' "${CATENA_RESUME_FROM:-null}")")));
  CHECK(run_said(task, {}).response->text == R"({"from":null})");
  task.resume_from = R"({"row":2})";
  const auto outcome = run_said(task, {});
  CHECK(outcome.response->text == R"({"from":{"row":2}})");
  CHECK(outcome.checkpoint.empty());
}

TEST_CASE("garbage on the descriptor ends the attempt") {
  const TempDir directory;
  const auto outcome = run_said(speaking(directory.script(saying("hello", "exec sleep 60"))), {});
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::tool_output_invalid);
  CHECK(outcome.response.error().message.starts_with("tool 'probe' sent a message that is not JSON"));
  const auto last = run_said(speaking(directory.script("printf hello >&3", "last.sh")), {});
  CHECK(last.response.error().code == Code::tool_output_invalid);
}

TEST_CASE("an attempt that says nothing for its heartbeat_timeout is ended") {
  const TempDir directory;
  auto task = speaking(directory.script(saying(kRow, "exec sleep 60")));
  task.heartbeat_timeout = Millis{300};
  const auto outcome = run_said(task, {});
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::tool_timeout);
  CHECK(outcome.response.error().retryable);
  CHECK(outcome.response.error().message == "tool 'probe' was ended because it sent no message for 300ms (heartbeat_timeout)");
  CHECK(outcome.checkpoint == R"({"row":3})");

  task = speaking(directory.script(R"(for i in 1 2 3 4 5 6 7 8; do echo '{"method":"progress"}' >&3; sleep 0.1; done)", "steady.sh"));
  task.heartbeat_timeout = Millis{20'000};
  CHECK(run_said(task, {}).response);
}

TEST_CASE("an attempt asks to be gone on with from a checkpoint of its own, and from no other") {
  const TempDir directory;
  const std::string goes_on = R"({"method":"continue","params":{"after_ms":20}})";
  auto task = speaking(directory.script(saying(kRow + "\n" + goes_on)));
  const auto outcome = run_said(task, {});
  REQUIRE_FALSE(outcome.response);
  CHECK(outcome.response.error().code == Code::postponed);
  CHECK(outcome.response.error().details["retry_after_ms"] == 20);
  CHECK(outcome.checkpoint == R"({"row":3})");
  task.resume_from = R"({"row":3})";
  CHECK(run_said(task, {}).response.error().code == Code::tool_output_invalid);
  CHECK(run_said(speaking(directory.script(saying(goes_on), "without.sh")), {}).response.error().code == Code::tool_output_invalid);
  // a failure stays one
  CHECK(run_said(speaking(directory.script(saying(kRow + "\n" + goes_on, "exit 1"), "fails.sh")), {}).response.error().code == Code::tool_failed);
}

TEST_CASE("a child that serves says the same as notifications before its answer, and is told from where to go on") {
  const TempDir directory;
  Heard heard;
  const auto executor = make_serve_executor(heard.options());
  auto task = speaking(directory.script("while " + kServes.substr(0, kServes.size() - 1) +
                                        "; [ \"$id\" ]; do\ncat <<'END'\n"
                                        R"({"jsonrpc":"2.0","method":"progress","params":{"done":1,"of":2}})"
                                        "\n" +
                                        kRow +
                                        "\nEND\n"
                                        R"(printf '{"id":%s,"result":{"asked":%s}}\n' "$id" "$call"
done)"));
  task.endpoint.kind = "serve";
  task.resume_from = R"({"row":2})";
  for (int call = 0; call < 2; ++call) {
    const auto outcome = executor->run(task, {});
    if (!outcome.response) FAIL(render(outcome.response.error()));
    CHECK(Json::parse(outcome.response->text)["asked"]["params"]["resume_from"] == Json{{"row", 2}});
  }
  REQUIRE_FALSE(heard.notes.empty());
  CHECK(heard.notes.front().done == 1);
}

TEST_CASE("a child that serves and is killed, silent or garbled leaves what it said before") {
  const TempDir directory;
  const auto executor = make_serve_executor(ExecutorOptions{.term_grace = Millis{50}});
  const auto say = "cat <<'END'\n" + kRow + "\nEND\n";
  const auto serving = [&](const std::string& name, const std::string& then) {
    auto task = speaking(directory.script(kServes + say + then, name));
    task.endpoint.kind = "serve";
    return task;
  };
  const auto killed = executor->run(serving("killed.sh", "kill -9 $$"), {});
  CHECK(killed.response.error().code == Code::tool_killed);
  CHECK(killed.checkpoint == R"({"row":3})");
  auto silent = serving("silent.sh", "exec sleep 60");
  silent.heartbeat_timeout = Millis{300};
  const auto ended = executor->run(silent, {});
  CHECK(ended.response.error().code == Code::tool_timeout);
  CHECK(ended.checkpoint == R"({"row":3})");
  const auto garbled = executor->run(serving("garbled.sh", R"(echo '{"method":"dance"}'; exec sleep 60)"), {});
  CHECK(garbled.response.error().code == Code::tool_output_invalid);
}

TEST_CASE("a child that serves is told that its call is cancelled before it is ended") {
  const TempDir directory;
  const Signpost signpost{directory};
  const auto executor = make_serve_executor(ExecutorOptions{.term_grace = Millis{5'000}});
  auto task = speaking(directory.script("trap '' TERM\n" + kServes + "read -r cancel\nprintf '%s\\n' \"$cancel\" >'" + signpost.path() + "'"));
  task.endpoint.kind = "serve";
  task.timeout = Millis{300};
  CHECK(executor->run(task, {}).response.error().code == Code::tool_timeout);
  const auto cancel = Json::parse(signpost.wait());
  CHECK(cancel["method"] == "cancel");
  CHECK(cancel["params"]["reason"] == "timeout");
}

}  // namespace catena::worker::test
