// What a test of a definition says of it. The format and its mistakes are in test_file_test.cpp.
#include "cli/definition_test/trial.hpp"

#include "cli/definition_test/cast.hpp"
#include "cli/definition_test/verdict_text.hpp"
#include "tests/system/process.hpp"
#include "worker/executors/builtin.hpp"

namespace catena::cli {
namespace {

/// One test of a definition, written down to what matters.
class Trials {
 public:
  Trials() {
    write(
        "fetch.tool",
        R"({"arguments": [{"name": "url", "type_name": "string"}], "additional_arguments": true, "system_event_endpoint": "exec:no-such-program"})");
    write("tell.tool", R"({"additional_arguments": true, "system_event_endpoint": "https://nowhere.example/tell"})");
  }
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  /// A chain of instructions in the tool dialect.
  void define(const std::string& instructions, const std::string& more = "{}") const {
    auto definition = Json::parse(more);
    definition["instructions"] = Json::parse(instructions);
    write("main.tool", definition.dump());
  }
  Verdict run(const std::string& test) const {
    const auto file = folder_.write("main.test.yaml", "tests:\n  - name: it\n" + test);
    const auto tests = read_definition_tests(file.string());
    if (!tests) throw std::runtime_error{render(tests.error().front())};
    auto definitions = definitions_on_disk({}, lang::Catalog{worker::builtin_names()});
    return run_definition_test(tests->front(), definitions);
  }

 private:
  system_test::Folder folder_;
};

std::string fetch(const std::string& more = {}) { return R"([{"execution_id": "fetch", "tool_definition_path": "/fetch.tool")" + more + "}]"; }

std::string told(const Verdict& verdict) { return verdict_text({"f", "t", 1, verdict}); }

}  // namespace

TEST_CASE("a stub stands in for a tool whose program is nowhere, and the response is compared part by part") {
  Trials trials;
  trials.define(fetch());
  const std::string stub = "    stubs: [{tool: fetch, response: {body: hello, code: 200}}]\n";
  CHECK(trials.run(stub).passed());
  CHECK(trials.run(stub + "    expect: {response: {fetch: {body: hello, code: 200}}}\n").passed());
  CHECK(trials.run(stub + "    expect: {contains: {fetch: {code: 200}}}\n").passed());
  CHECK(trials.run(stub + "    expect: {at: {fetch.body: hello}}\n").passed());
  const auto wrong = trials.run(stub + "    expect: {response: {fetch: {body: hallo}}, at: {fetch.gone: 1}}\n");
  CHECK(wrong.problems.empty());
  CHECK(wrong.differences == std::vector<Difference>{{"response.fetch.body", R"("hallo")", R"("hello")"},
                                                     {"response.fetch.code", "nothing", "200"},
                                                     {"response.fetch.gone", "1", "nothing"}});
  CHECK(told(wrong) ==
        "FAIL f:1: t\n       response.fetch.body\n         expected  \"hallo\"\n         got       \"hello\"\n       response.fetch.code\n"
        "         expected  nothing\n         got       200\n       response.fetch.gone\n         expected  1\n         got       nothing\n");
}

TEST_CASE("a tool that runs outside and has no stub fails the test, whatever comes of the chain") {
  Trials trials;
  trials.define(fetch(R"(, "on_failure": "continue")"));
  const auto verdict = trials.run("    expect: {status: succeeded}\n");
  REQUIRE(verdict.problems.size() == 1);
  CHECK(verdict.problems.front() ==
        "step 'fetch' calls tool 'fetch' (exec:no-such-program), which does not run in tests; give `stubs:` one with `tool: fetch`");
}

TEST_CASE("answers are used up in order, and then the next stub that fits plays, or nobody") {
  Trials trials;
  trials.define(
      R"([{"execution_id": "each", "tool_definition_path": "/fetch.tool", "parallel_execution": {"iterate_over": [1, 2, 3], "child_argument_name": "n"}}])");
  const std::string answers = "    stubs:\n      - {tool: fetch, answers: [{response: {is: a}}, {response: {is: b}}]}\n";
  CHECK(
      trials.run(answers + "      - {tool: fetch, response: {is: rest}}\n    expect: {response: {each: [{is: a}, {is: b}, {is: rest}]}}\n").passed());
  const auto out = trials.run(answers);
  REQUIRE(out.problems.size() == 1);
  CHECK(out.problems.front() == "step 'each/2' calls tool 'fetch', and no stub has an answer left that fits");
}

TEST_CASE("signals are sent when the test says, and one that is refused fails the test") {
  Trials trials;
  trials.define(R"([
    {"execution_id": "ask", "signal": {"name": "approve", "timeout": "2d", "schema": {"type": "object", "required": ["by"]}}},
    {"execution_id": "outer", "tool_definition": {"instructions": [{"execution_id": "inner", "signal": {"name": "go"}}]}}])");
  const std::string inner = "      - {name: go, chain: outer}\n";
  CHECK(trials
            .run("    signals:\n      - {name: approve, data: {by: ann}, after: 5h}\n" + inner +
                 "    expect: {response: {ask: {by: ann}, outer: {inner: {}}}, elapsed: 5h}\n")
            .passed());
  CHECK(trials.run("    signals:\n" + inner + "    expect: {error: deadline_exceeded, steps: {ask: failed, outer: completed}, elapsed: 2d}\n")
            .passed());
  const auto refused = trials.run("    signals:\n      - {name: aprove, data: {by: ann}}\n" + inner + "    expect: {status: failed}\n");
  REQUIRE(refused.problems.size() == 1);
  CHECK(refused.problems.front() == "[usage] no step of chain 'test' waits for a signal 'aprove'; did you mean 'approve'?");
}

TEST_CASE("what waits for approval is answered when the test says, or as soon as it waits") {
  Trials trials;
  trials.define(R"([
    {"execution_id": "get", "tool_definition_path": "/fetch.tool"},
    {"execution_id": "pay", "tool_definition_path": "/fetch.tool", "arguments": {"n": 500}, "dependencies": ["get"],
     "approve": {"timeout": "2d", "allow_edit": true}},
    {"execution_id": "each", "tool_definition_path": "/fetch.tool", "dependencies": ["pay"], "approve": true,
     "parallel_execution": {"iterate_over": [1, 2], "child_argument_name": "n"}}])");
  const std::string stubs = "    stubs:\n      - {tool: fetch, response: {}, after: 1h}\n";
  const auto all = trials.run(stubs + "    approvals:\n      - {step: pay, edit: {n: 90}}\n      - {step: each/0-1, after: 5h}\n" +
                              "    expect: {sent: {pay: {n: 90}}, executions: {fetch: 4}, elapsed: 6h}\n");
  CHECK(all.problems.empty());
  CHECK(all.passed());
  CHECK(trials
            .run(stubs + "    approvals:\n      - {step: pay, answer: reject, reason: too much, after: 3h}\n" +
                 "    expect: {error: approval_rejected, steps: {pay: failed}, elapsed: 3h}\n")
            .passed());
  CHECK(trials.run(stubs + "    expect: {error: deadline_exceeded, steps: {pay: failed}, elapsed: 49h}\n").passed());
  const auto refused = trials.run(stubs + "    approvals:\n      - {step: payy}\n    expect: {status: failed}\n");
  REQUIRE(refused.problems.size() == 1);
  CHECK(refused.problems.front().find("did you mean 'pay'?") != std::string::npos);
  const auto never =
      trials.run(stubs + "    approvals:\n      - {step: pay, answer: reject}\n      - {step: each/0}\n    expect: {status: failed}\n");
  REQUIRE(never.problems.size() == 1);
  CHECK(never.problems.front().find("chain_state") != std::string::npos);
}

TEST_CASE("a stub may be for one step, one item, one step of a nested chain, or for some arguments") {
  Trials trials;
  trials.define(R"([
    {"execution_id": "each", "tool_definition_path": "/fetch.tool", "parallel_execution": {"iterate_over": [1, 2], "child_argument_name": "n"}},
    {"execution_id": "outer", "tool_definition": {"instructions": [{"execution_id": "inner", "tool_definition_path": "/fetch.tool", "arguments": {"url": "x", "deep": {"a": 1, "b": 2}}}]}}])");
  CHECK(trials
            .run(R"(    stubs:
      - {tool: fetch, step: each/1, response: {is: second}}
      - {tool: fetch, step: each, response: {is: first}}
      - {tool: fetch, arguments: {deep: {a: 2}}, response: {is: wrong}}
      - {tool: fetch, arguments: {deep: {a: 1}}, step: inner, response: {is: inner}}
    expect:
      response: {each: [{is: first}, {is: second}], outer: {inner: {is: inner}}}
      sent: {outer/inner: {url: x}, each/1: {n: 2}}
      executions: {fetch: 3}
)")
            .passed());
}

TEST_CASE("time is the chain's own: retries and slow answers take as long as they say, and none of it here") {
  Trials trials;
  trials.define(fetch(R"(, "timeout": "1m", "retry": {"max_attempts": 3, "initial_interval": "1h", "backoff": 1, "jitter": 0})"));
  const std::string stub =
      "    stubs: [{tool: fetch, answers: [{error: tool_temporary, after: 5s}, {response: {}, after: 7d}, {response: {}, after: 10s}]}]\n";
  CHECK(trials.run(stub + "    expect: {elapsed: 7275s, executions: {fetch: 3}}\n").passed());
  const auto wrong = trials.run(stub + "    expect: {elapsed: {at_least: 1m, at_most: 2m}}\n");
  CHECK(wrong.differences == std::vector<Difference>{{"elapsed", "at most 2m", "7275s"}});
  CHECK(wrong.elapsed == std::chrono::seconds{7275});
}

TEST_CASE("an error is expected by its code, or that of its cause, and a part of its message") {
  Trials trials;
  trials.define(
      R"([{"execution_id": "outer", "tool_definition": {"instructions": [{"execution_id": "inner", "tool_definition_path": "/fetch.tool"}]}}])");
  const std::string stub = "    stubs: [{tool: fetch, error: {code: tool_killed, message: out of memory, retryable: false}}]\n";
  CHECK(trials.run(stub + "    expect: {error: tool_killed}\n").passed());
  CHECK(trials.run(stub + "    expect: {status: failed, error: {code: child_failed, message: out of memory}}\n").passed());
  CHECK(trials.run(stub + "    expect: {error: tool_timeout}\n").differences.at(0).expected == "tool_timeout");
  CHECK(trials.run(stub).differences.at(0).path == "status");
  CHECK(trials.run("    stubs: [{tool: fetch, response: {}}]\n    expect: {error: tool_killed}\n").differences.at(0).got ==
        "none: the chain succeeded");
}

TEST_CASE("arguments that are refused are an error that can be expected") {
  Trials trials;
  trials.define(fetch(), R"({"arguments": [{"name": "url", "type_name": "string", "required": true}]})");
  CHECK(trials.run("    expect: {error: argument_missing, executions: {fetch: 0}}\n").passed());
  CHECK(trials.run("    arguments: {url: 3}\n    expect: {error: argument_type}\n").passed());
  CHECK_FALSE(trials.run("    expect: {status: succeeded}\n").passed());
}

TEST_CASE("builtins that need nothing else play themselves, over the test's own files and time") {
  Trials trials;
  trials.define(R"([
    {"execution_id": "sum", "tool_definition_path": "/tools/core/math.tool", "arguments": {"operation": "add", "a": 1, "b": 2}},
    {"execution_id": "keep", "tool_definition_path": "/tools/core/put_file.tool", "arguments": {"file_path": "/out.txt", "content": "REF:arguments.notes"}},
    {"execution_id": "nap", "tool_definition_path": "/tools/core/wait.tool", "arguments": {"duration": "500ms"}, "dependencies": ["sum", "keep"]},
    {"execution_id": "night", "tool_definition_path": "/tools/core/wait.tool", "arguments": {"duration": "8h"}, "dependencies": ["nap"]}])",
                R"({"arguments": [{"name": "notes", "type_name": "file"}]})");
  const auto verdict = trials.run(R"(    arguments: {notes: /in.txt}
    files: {/in.txt: "one, two"}
    expect:
      at: {sum.result: 3, night.waited_ms: 28800000}
      files: {/out.txt: "one, two"}
      elapsed: 28800500ms
)");
  INFO(told(verdict));
  CHECK(verdict.passed());
  const auto wrong = trials.run("    arguments: {notes: /in.txt}\n    files: {/in.txt: a}\n    expect: {files: {/out.txt: b, /gone.txt: c}}\n");
  REQUIRE(wrong.differences.size() == 2);
  CHECK(wrong.differences.at(0).got.find("file_not_found") != std::string::npos);
  CHECK(wrong.differences.at(1) == Difference{"files./out.txt", R"("b")", R"("a")"});
}

TEST_CASE("every builtin that plays itself is one") {
  const auto& names = builtins_that_play_themselves();
  CHECK(std::ranges::is_sorted(names));
  for (const auto& name : names) {
    CAPTURE(name);
    CHECK(worker::find_builtin(name) != nullptr);
  }
}

TEST_CASE("steps, warnings and executions are what became of them") {
  Trials trials;
  trials.define(R"([
    {"execution_id": "a", "tool_definition_path": "/fetch.tool", "conditions": [{"param": "x", "operator": "greater_than", "value": 1}]},
    {"execution_id": "b", "tool_definition_path": "/tell.tool"}])");
  const std::string stubs = "    stubs: [{tool: tell, response: {}}]\n";
  CHECK(trials.run(stubs + "    expect: {steps: {a: skipped, b: completed}, warnings: [greater_than], executions: {fetch: 0, tell: 1}}\n").passed());
  const auto wrong = trials.run(
      stubs + "    expect: {steps: {a: completed, bb: completed}, warnings: [nothing of the kind], executions: {tel: 1}, sent: {a: {}}}\n");
  REQUIRE(wrong.differences.size() == 5);
  CHECK(wrong.differences.at(0).got == "0: no step calls it; did you mean 'tell'?");
  CHECK(wrong.differences.at(1) == Difference{"steps.a", "completed", "skipped"});
  CHECK(wrong.differences.at(2).got.starts_with("no such step"));
  CHECK(wrong.differences.at(3).got == "no attempt of that step");
  CHECK(wrong.differences.at(4).path == "warnings");
}

TEST_CASE("a stub of a tool that no step calls is a mistake, unless it is shared by the file") {
  Trials trials;
  trials.define(fetch());
  const auto verdict = trials.run("    stubs: [{tool: fetch, response: {}}, {tool: fetsh, response: {}}]\n");
  REQUIRE(verdict.problems.size() == 1);
  CHECK(verdict.problems.front().ends_with("no step calls a tool 'fetsh'; did you mean 'fetch'?"));
  CHECK(trials.run("    stubs: [{tool: fetch, response: {}}]\nstubs: [{tool: tell, response: {}}]\n").passed());
}

TEST_CASE("a definition that is wrong fails its tests with its errors") {
  Trials trials;
  trials.write("main.tool", R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/nowhere.tool"}]})");
  const auto verdict = trials.run("");
  REQUIRE(verdict.problems.size() == 1);
  CHECK(verdict.problems.front().find("definition_not_found") != std::string::npos);
}

TEST_CASE("a chain that never ends is told, and does not keep the test from ending") {
  Trials trials;
  trials.define(fetch(R"(, "retry": {"max_attempts": 0, "initial_interval": "1ms", "backoff": 1})"));
  const auto verdict = trials.run("    stubs: [{tool: fetch, error: tool_temporary}]\n");
  REQUIRE(verdict.problems.size() == 1);
  CHECK(verdict.problems.front().starts_with("the chain does not end: it made more than"));
}

TEST_CASE("a verdict goes to build servers as JUnit has it, with what needs escaping escaped") {
  Verdict wrong;
  wrong.differences = {{"response.a", R"("<x>")", "1 & 2"}};
  const std::vector<Tried> all{{"a.test.yaml", "works", 3, {}}, {"a.test.yaml", "is \"odd\"", 9, wrong}, {"b.test.yaml", "works", 2, {}}};
  const auto text = verdicts_junit(all);
  CHECK(text.find("<testsuites tests=\"3\" failures=\"1\">") != std::string::npos);
  CHECK(text.find("<testsuite name=\"a.test.yaml\" tests=\"2\" failures=\"1\">") != std::string::npos);
  CHECK(text.find("name=\"is &quot;odd&quot;\"") != std::string::npos);
  CHECK(text.find("&quot;&lt;x&gt;&quot;") != std::string::npos);
  CHECK(text.find("1 &amp; 2") != std::string::npos);
  CHECK(summary_text(all) == "1 of 3 tests failed");
  const auto line = verdict_json(all.at(1));
  CHECK(line.at("passed") == false);
  CHECK(line.at("differences").at(0) == Json{{"path", "response.a"}, {"expected", "\"<x>\""}, {"got", "1 & 2"}});
}

}  // namespace catena::cli
