// What processes of tools print, on its way into the buffer: real programs.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "tests/worker/support.hpp"
#include "worker/executors/exec.hpp"
#include "worker/executors/serve.hpp"
#include "worker/log_buffer.hpp"
#include "worker/secrets.hpp"

namespace catena::worker::test {
namespace {

struct ToolRun {
  explicit ToolRun(actors::LogKeep keep = actors::LogKeep::all) {
    options.logs = std::make_shared<LogBuffer>(keep, 64UL << 10U);
    options.logs->wake_with([this] { some = true; });
  }
  Outcome run(Executor& executor, const std::string& kind, const std::string& program) const {
    Task task;
    task.endpoint = {kind, program, {}};
    task.order = std::make_shared<const TaskOrder>(TaskOrder{"c", GrantId{1}, "a", 1U});
    return executor.run(task, {});
  }
  Outcome exec(std::string_view body) {
    auto executor = make_exec_executor(options);
    return run(*executor, "exec", directory.script(body));
  }
  [[nodiscard]] std::string text(actors::LogStream stream = actors::LogStream::standard_error) const {
    std::string all;
    for (const auto& piece : options.logs->take(UINT64_MAX).pieces) {
      if (piece.stream == stream) all += piece.text;
    }
    return all;
  }
  TempDir directory;
  ExecutorOptions options;
  std::atomic<bool> some{false};
};

}  // namespace

TEST_CASE("what a tool writes to stderr is kept, of an attempt that succeeds too") {
  ToolRun tool;
  CHECK(tool.exec("echo one >&2; printf '{\"a\":1}'; echo two >&2").response);
  CHECK(tool.text() == "one\ntwo\n");
  CHECK(tool.exec("printf '{}'").response);
  CHECK(tool.options.logs->take(UINT64_MAX).pieces.empty());
}

TEST_CASE("what a tool writes to stdout is kept where it is no response") {
  for (const auto* body : {"echo 'cannot open x'; exit 3", "echo 'cannot open x'"}) {
    ToolRun tool;
    CHECK_FALSE(tool.exec(body).response);
    CHECK(tool.text(actors::LogStream::standard_output) == "cannot open x\n");
  }
}

TEST_CASE("lines are seen while the tool still runs") {
  ToolRun tool;
  std::thread running{[&] {
    // it ends when somebody has seen its line
    static_cast<void>(tool.exec("echo working >&2; while ! test -e " + tool.directory.path("seen") + "; do sleep 0.01; done; printf '{}'"));
  }};
  while (!tool.some) std::this_thread::yield();
  CHECK(tool.text() == "working\n");
  tool.directory.write("seen", "");
  running.join();
}

TEST_CASE("a secret of a tool is in nothing that is kept of what it prints") {
  ToolRun tool;
  const auto file = tool.directory.write("secret", "s3cr3t-value\n");
  tool.options.secrets = std::make_shared<const Secrets>(Secrets::from({{"key", "file:" + file}}).value());
  Task task;
  task.endpoint = {"exec", tool.directory.script("echo \"key $KEY\" >&2; echo \"out $KEY\"; printf 'cut %.8s' \"$KEY\" >&2; exit 1"), {}};
  task.order = std::make_shared<const TaskOrder>(TaskOrder{"c", GrantId{1}, "a", 1U});
  task.surroundings.variables = {{"KEY", "key", true}};
  CHECK_FALSE(make_exec_executor(tool.options)->run(task, {}).response);
  const auto pieces = tool.options.logs->take(UINT64_MAX).pieces;
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].text == "key ***\ncut ***");
  CHECK(pieces[1].text == "out ***\n");
}

TEST_CASE("a tool that is killed for its time leaves what it printed") {
  ToolRun tool;
  auto executor = make_exec_executor(tool.options);
  Task task;
  task.endpoint = {"exec", tool.directory.script("echo before >&2; echo partial; exec sleep 60"), {}};
  task.order = std::make_shared<const TaskOrder>(TaskOrder{"c", GrantId{1}, "a", 1U});
  task.timeout = Millis{300};
  CHECK(executor->run(task, {}).response.error().code == Code::tool_timeout);
  CHECK(tool.text() == "before\n");
}

TEST_CASE("a child that serves has what it printed during a call kept with that call") {
  ToolRun tool;
  const auto program = tool.directory.script(R"(while read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  echo "call" >&2
  printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id"
done)");
  auto executor = make_serve_executor(tool.options);
  CHECK(tool.run(*executor, "serve", program).response);
  CHECK(tool.text() == "call\n");
  CHECK(tool.run(*executor, "serve", program).response);
  CHECK(tool.text() == "call\n");
  const auto chatty = tool.directory.script("read -r line; echo oops >&2; echo 'starting up'", "chatty.sh");
  CHECK_FALSE(tool.run(*executor, "serve", chatty).response);
  const auto pieces = tool.options.logs->take(UINT64_MAX).pieces;
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].text == "oops\n");
  CHECK(pieces[1].text == "starting up");
  CHECK(pieces[1].stream == actors::LogStream::standard_output);
}

}  // namespace catena::worker::test
