#include <catch2/catch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <thread>

#include "support.hpp"
#include "worker/executors/exec.hpp"

namespace catena::worker::test {
namespace {

constexpr Millis kShort{50};

Outcome run_exec(const Task& task, const ExecutorOptions& options = {}, const StopToken& stop = {}) {
  return make_exec_executor(options)->run(task, stop);
}

Outcome run_script(std::string_view body, std::string arguments = "{}", const ExecutorOptions& options = {}) {
  const TempDir directory;
  return run_exec(exec_task(directory.script(body), std::move(arguments)), options);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG | __WALL) >= 0 || errno != ECHILD; }

}  // namespace

TEST_CASE("arguments come on stdin and stdout is the response") {
  const auto outcome = run_script("cat", R"({"a":[1,"x"]})");
  REQUIRE(outcome.response);
  CHECK(outcome.response->text == R"({"a":[1,"x"]})");
  CHECK(outcome.stderr_tail.empty());
}

TEST_CASE("the response is made compact, and nothing on stdout is an empty object") {
  CHECK(run_script(R"(printf '{ "a" : 1 }\n')").response->text == R"({"a":1})");
  CHECK(run_script("printf ' \\n'").response->text == "{}");
  CHECK(run_script("true").response->text == "{}");
}

TEST_CASE("args are passed as they are: no shell reads them") {
  const TempDir directory;
  auto task = exec_task(directory.script(R"(printf '{"n":%d,"first":"%s"}' $# "$1")"));
  task.endpoint.args = {"$(touch /tmp/x); *", ""};
  CHECK(run_exec(task).response->text == R"({"n":2,"first":"$(touch /tmp/x); *"})");
}

TEST_CASE("a tool sees the allowed part of the environment and what its attempt is") {
  ::setenv("CATENA_TEST_SECRET", "s3cret", 1);
  const TempDir directory;
  auto task = exec_task(directory.script(
      R"(printf '{"secret":"%s","path":"%s","key":"%s","attempt":"%s","tool":"%s"}' "$CATENA_TEST_SECRET" "${PATH:+set}" "$CATENA_IDEMPOTENCY_KEY" "$CATENA_ATTEMPT" "$CATENA_TOOL")"));
  task.attempt = 3;
  CHECK(run_exec(task).response->text == R"({"secret":"","path":"set","key":"chain/step/7","attempt":"3","tool":"probe"})");
}

TEST_CASE("a tool gets the context of its chain as a variable, and none where there is none") {
  ::setenv("CATENA_CONTEXT", "of the worker", 1);
  const TempDir directory;
  auto task = exec_task(directory.script(R"(printf '{"set":"%s","context":%s}' "${CATENA_CONTEXT+yes}" "${CATENA_CONTEXT:-null}")"));
  CHECK(run_exec(task).response->text == R"({"set":"","context":null})");
  task.context = R"({"user_id":"ann \u00fc"})";
  CHECK(Json::parse(run_exec(task).response->text) == Json{{"set", "yes"}, {"context", {{"user_id", "ann \u00fc"}}}});
  ::unsetenv("CATENA_CONTEXT");
}

TEST_CASE("a tool gets the trace context of its attempt as variables, and the worker's own only where there is none") {
  const TempDir directory;
  auto task = exec_task(directory.script(R"(printf '{"parent":"%s","state":"%s"}' "$TRACEPARENT" "$TRACESTATE")"));
  CHECK(run_exec(task).response->text == R"({"parent":"","state":""})");
  task.order = traced_order();
  CHECK(Json::parse(run_exec(task).response->text) == Json{{"parent", traceparent_of(task)}, {"state", "a=1"}});
}

TEST_CASE("the place of an attempt in a trace is the span of that attempt") {
  auto task = exec_task("true");
  CHECK(traceparent_of(task).empty());
  task.order = traced_order();
  task.item = 7;
  task.attempt = 2;
  const auto& trace = task.order->trace;
  CHECK(traceparent_of(task) == catena::traceparent_of({trace.id, attempt_span(trace, ChainId{"c"}, "a", 1, 7, 2), 1}));
}

TEST_CASE("a tool has only its three streams and that of its notes open, and no signal ignored or blocked") {
  const auto ignored = ::signal(SIGPIPE, SIG_IGN);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  auto signals = exec_task("/bin/grep");
  signals.endpoint.args = {"-E", "^Sig(Blk|Ign)", "/proc/self/status"};
  const auto seen = run_exec(signals).response.error().message;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGPIPE, ignored);
  INFO(seen);
  CHECK(seen.find("SigBlk:\t0000000000000000\n") != std::string::npos);
  // the C library keeps 32 and 33, its own signals, ignored until the program starts
  const auto mask = seen.find("SigIgn:\t");
  REQUIRE(mask != std::string::npos);
  CHECK((std::stoull(seen.substr(mask + 8, 16), nullptr, 16) & 0x7fffffffU) == 0);
  // as a library might leave them: without close-on-exec
  const Fd careless{::open("/etc/passwd", O_RDONLY)};
  const Fd high{::fcntl(careless.get(), F_DUPFD, 500)};
  REQUIRE(high.is_open());
  auto descriptors = exec_task("/bin/ls");
  descriptors.endpoint.args = {"/proc/self/fd"};
  // the fifth is the directory that ls reads
  CHECK(run_exec(descriptors).response.error().message.ends_with("it begins with: 0\n1\n2\n3\n4\n"));
}

TEST_CASE("exit 75 is temporary, every other exit code a failure") {
  const auto temporary = run_script("echo busy >&2; exit 75");
  REQUIRE_FALSE(temporary.response);
  CHECK(temporary.response.error().code == Code::tool_temporary);
  CHECK(temporary.response.error().retryable);
  CHECK(temporary.response.error().details == Json{{"exit_code", 75}, {"stderr", "busy\n"}});
  CHECK(temporary.response.error().message == "tool 'probe' failed with exit code 75; stderr ends with: busy");
  CHECK(temporary.stderr_tail == "busy\n");
  for (const auto* code : {"1", "126", "127"}) {
    const auto failed = run_script(std::string{"exit "} + code);
    CHECK(failed.response.error().code == Code::tool_failed);
    CHECK_FALSE(failed.response.error().retryable);
    CHECK(failed.response.error().details["exit_code"] == std::stoi(code));
  }
}

TEST_CASE("a tool that says on stdout why it fails is quoted, where stderr says nothing") {
  const auto outcome = run_script("echo first; echo 'no such table'; exit 3");
  CHECK(outcome.response.error().message == "tool 'probe' failed with exit code 3; stdout ends with: no such table");
  CHECK(outcome.response.error().details == Json{{"exit_code", 3}, {"stdout", "first\nno such table\n"}});
  CHECK(run_script("echo out; echo err >&2; exit 3").response.error().message.ends_with("stderr ends with: err"));
}

TEST_CASE("what is on stdout of a failed tool is no response") { CHECK(run_script("echo '{}'; exit 1").response.error().code == Code::tool_failed); }

TEST_CASE("a tool ended by a signal is killed, retryable, with the signal's name") {
  const auto outcome = run_script("echo bye >&2; kill -SEGV $$");
  CHECK(outcome.response.error().code == Code::tool_killed);
  CHECK(outcome.response.error().retryable);
  CHECK(outcome.response.error().details == Json{{"signal", "SIGSEGV"}, {"stderr", "bye\n"}});
}

TEST_CASE("output that is not a JSON object is shown") {
  const auto garbage = run_script("echo 'hello world'").response.error();
  CHECK(garbage.code == Code::tool_output_invalid);
  CHECK(garbage.message.find("it begins with: hello world") != std::string::npos);
  CHECK(garbage.cause);
  const auto list = run_script("echo '[1]'").response.error();
  CHECK(list.code == Code::tool_output_invalid);
  CHECK(list.message.find("is a JSON list and not an object") != std::string::npos);
  const auto bytes = run_script(R"(printf '\377\376')").response.error();
  CHECK(bytes.code == Code::tool_output_invalid);
  CHECK_NOTHROW(to_json(bytes).dump());
}

TEST_CASE("a program that cannot be started says why") {
  const auto missing = run_exec(exec_task("/no/such/program")).response.error();
  CHECK(missing.code == Code::tool_not_started);
  CHECK_FALSE(missing.retryable);
  CHECK(missing.message ==
        "tool 'probe': program '/no/such/program' could not be started: No such file or directory; check the path, and the interpreter on "
        "its #! line");
  const TempDir directory;
  const auto plain = directory.write("plain", "#!/bin/sh\n");
  CHECK(run_exec(exec_task(plain)).response.error().message.find("chmod +x") != std::string::npos);
  auto cut = exec_task("/bin/true");
  cut.endpoint.args = {std::string("a\0b", 3)};
  CHECK(run_exec(cut).response.error().message.find("NUL") != std::string::npos);
  CHECK_FALSE(has_children());
}

TEST_CASE("large arguments and large output at the same time do not block each other") {
  std::string arguments = R"({"text":")" + std::string(1 << 20, 'x') + "\"}";
  // writes before it reads, then returns what it read: both pipes fill
  const auto outcome = run_script("head -c 1048576 /dev/zero | tr '\\0' ' '; head -c 1048576 /dev/zero >&2; cat", arguments);
  REQUIRE(outcome.response);
  CHECK(outcome.response->text == arguments);
}

TEST_CASE("a tool that closes its stdin or never reads it is not disturbed") {
  const std::string large = R"({"text":")" + std::string(1 << 20, 'x') + "\"}";
  CHECK(run_script("exec <&-; echo '{\"ok\":true}'", large).response->text == R"({"ok":true})");
  CHECK(run_script("echo '{\"ok\":true}'", large).response->text == R"({"ok":true})");
  CHECK(run_script("head -c 5 >/dev/null; echo '{\"ok\":true}'", large).response->text == R"({"ok":true})");
}

TEST_CASE("output over the limit ends the tool") {
  const auto outcome = run_script("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxx; done", "{}", {.output_bytes_max = 1000});
  CHECK(outcome.response.error().code == Code::tool_output_too_large);
  CHECK(outcome.response.error().message.find("more than 1000 bytes") != std::string::npos);
  // left in the pipe by a leader that has ended
  CHECK(run_script("printf '{\"a\":\"123456\"}'", "{}", {.output_bytes_max = 10}).response.error().code == Code::tool_output_too_large);
  CHECK(run_script("printf '{\"a\":\"12\"}'", "{}", {.output_bytes_max = 10}).response);
}

TEST_CASE("the end of stderr is kept, as UTF-8") {
  const auto outcome = run_script("i=0; while [ $i -lt 500 ]; do echo line $i >&2; i=$((i+1)); done", "{}", {.stderr_bytes_kept = 100});
  REQUIRE(outcome.response);
  CHECK(outcome.stderr_tail.size() == 100);
  CHECK(outcome.stderr_tail.ends_with("line 498\nline 499\n"));
  const auto bytes = run_script(R"(printf 'a\377b' >&2; exit 1)");
  CHECK(bytes.stderr_tail ==
        "a\xEF\xBF\xBD"
        "b");
  const auto much = run_script("head -c 300000 /dev/zero | tr '\\0' 'y' >&2; exit 1");
  CHECK(much.stderr_tail.size() == limits::kToolStderrBytesKept);
  CHECK(much.response.error().details["stderr"].get<std::string>().size() == 4096);
}

TEST_CASE("a timeout ends the whole process group") {
  const TempDir directory;
  auto task = exec_task(directory.script("sleep 1000 & echo $! > " + directory.path("pid") + "; wait"));
  task.timeout = Millis{300};
  const auto outcome = run_exec(task);
  CHECK(outcome.response.error().code == Code::tool_timeout);
  CHECK(outcome.response.error().retryable);
  CHECK(outcome.response.error().message.find("timeout of 300ms") != std::string::npos);
  const auto pid = read_all(directory.path("pid"));
  if (!pid.empty()) CHECK(has_ended(std::stoi(pid)));
  CHECK_FALSE(has_children());
}

TEST_CASE("a tool may tidy up on SIGTERM, and is killed when it does not end") {
  auto slow = exec_task("");
  slow.timeout = Millis{200};
  {
    const TempDir directory;
    slow.endpoint.target = directory.script("trap 'echo tidy >&2; exit 0' TERM; while :; do sleep 0.01; done");
    const auto outcome = run_exec(slow, {.term_grace = Millis{10'000}});
    CHECK(outcome.response.error().code == Code::tool_timeout);
    CHECK(outcome.stderr_tail.ends_with("tidy\n"));
  }
  {
    const TempDir directory;
    slow.endpoint.target = directory.script("trap '' TERM; while :; do sleep 0.01; done");
    CHECK(run_exec(slow, {.term_grace = kShort}).response.error().code == Code::tool_timeout);
  }
}

TEST_CASE("a stop ends a running tool; one before the start starts nothing") {
  const TempDir directory;
  const Signpost ready{directory};
  const auto task = exec_task(directory.script("echo $$ > " + ready.path() + "; sleep 1000"));
  StopSource stop;
  auto token = stop.token();
  std::thread stopper{[&] {
    CHECK_FALSE(ready.wait().empty());
    stop.request_stop();
  }};
  const auto outcome = run_exec(task, {}, token);
  stopper.join();
  CHECK(outcome.response.error().code == Code::cancelled);
  CHECK_FALSE(outcome.response.error().retryable);
  CHECK(run_exec(exec_task("/no/such/program"), {}, token).response.error().code == Code::cancelled);
}

TEST_CASE("a background process that holds stdout delays nothing and is killed with its group") {
  const TempDir directory;
  const auto outcome = run_exec(exec_task(directory.script("sleep 1000 & printf '{\"pid\":%d}' $!")));
  REQUIRE(outcome.response);
  CHECK(has_ended(Json::parse(outcome.response->text)["pid"].get<pid_t>()));
}

TEST_CASE("a process that left the group and writes on for ever delays nothing") {
  const TempDir directory;
  const auto outcome =
      run_exec(exec_task(directory.script("setsid sh -c 'echo $$ > " + directory.path("pid") + "; while :; do echo x >&2; done' & while [ ! -s " +
                                          directory.path("pid") + " ]; do sleep 0.01; done; echo '{}'")));
  // its stderr has no reader any more
  CHECK(has_ended(std::stoi(read_all(directory.path("pid")))));
  CHECK(outcome.response);
}

TEST_CASE("a tool that closes its streams and goes on is waited for") {
  CHECK(run_script("echo '{\"a\":1}'; exec >&- 2>&- <&-; sleep 0.05; exit 3").response.error().details["exit_code"] == 3);
}

TEST_CASE("500 runs leave no descriptor and no zombie behind") {
  const auto executor = make_exec_executor();
  const auto before = open_descriptors();
  for (int round = 0; round < 125; ++round) {
    CHECK(executor->run(exec_task("/bin/true"), {}).response);
    CHECK_FALSE(executor->run(exec_task("/bin/false"), {}).response);
    CHECK_FALSE(executor->run(exec_task("/no/such/program"), {}).response);
    CHECK(executor->run(exec_task("/bin/true", R"({"a":")" + std::string(100'000, 'x') + "\"}"), {}).response);
  }
  CHECK(open_descriptors() == before);
  CHECK_FALSE(has_children());
}

}  // namespace catena::worker::test
