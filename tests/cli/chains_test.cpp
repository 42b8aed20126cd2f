// Chains that fail, are stopped or lose their process, and what a person can do about each.
#include "tests/cli/named_pipe.hpp"
#include "tests/cli/scene.hpp"
#include "tests/link/sockets.hpp"

namespace cli_test {
namespace {

/// A first step that leaves a line in 'ran', then one that would take an hour.
json long_chain(const Scene& scene) {
  return definition({step("mark", scene.tool("mark", "echo ran >> ran\necho '{}'\n")),
                     step("wait", builtin("sleep"), {{"dependencies", {"mark"}}, {"arguments", {{"duration", "1h"}}}})});
}

/// The chain 'long' under way.
Process start_long(const Scene& scene) {
  const auto file = scene.define("long.tool", long_chain(scene));
  scene.write("ran", "");
  return scene.start({"run", file, "--id", "long"});
}
void wait_until_it_runs(const Scene& scene, const Process& process) {
  REQUIRE(system_test::wait_for_writes(scene.folder() / "ran", process, [&] { return scene.lines("ran") > 0; }));
}

/// The chain 'long', begun and interrupted.
void interrupt_long(const Scene& scene) {
  auto process = start_long(scene);
  wait_until_it_runs(scene, process);
  process.kill(SIGINT);
  REQUIRE(process.wait() == 130);
}

/// The chain 'work': an attempt of its step 'risky' that must not be repeated was lost with its process; 'after' follows it.
void lose_an_attempt(const Scene& scene) {
  scene.write("ran", "");
  // Only the first attempt waits; the gate goes away with the process that it was to outlive.
  const auto risky =
      scene.tool("risky", "echo ran >> ran\n[ $(wc -l < ran) -gt 1 ] || read -r line < gate\necho '{\"n\":1}'\n", {{"effect", "at_most_once"}});
  const auto file =
      scene.define("work.tool", definition({step("risky", risky), step("after", builtin("echo"), {{"arguments", {{"n", "REF:risky.n"}}}})},
                                           {{"response_reference_map", {{"n", "REF:after.n"}}}}));
  const NamedPipe gate{scene.folder() / "gate"};
  auto process = scene.start({"run", file, "--id", "work"});
  wait_until_it_runs(scene, process);
  process.kill(SIGKILL);
  REQUIRE(process.wait() == -SIGKILL);
}

}  // namespace

TEST_CASE("retry runs what failed and what never ran, and nothing that has a response") {
  const Scene scene;
  const auto counting = [&](const std::string& name, const std::string& test) {
    return scene.tool(name, "echo x >> " + name + "\n" + test + "\necho '{}'\n");
  };
  const auto file = scene.define("chain.tool", definition({step("first", counting("first", "")),
                                                           step("second", counting("second", "[ -e flag ] || exit 1"), {{"dependencies", {"first"}}}),
                                                           step("third", counting("third", ""), {{"dependencies", {"second"}}})}));
  const auto ran = [&] { return std::vector{scene.lines("first"), scene.lines("second"), scene.lines("third")}; };
  using Counts = std::vector<std::size_t>;
  CHECK(scene.run({"run", file, "--id", "c"}).code == 1);
  CHECK(ran() == Counts{1, 1, 0});
  CHECK(scene.run({"retry", "c"}).code == 1);
  CHECK(ran() == Counts{1, 2, 0});
  scene.write("flag", "");
  const auto done = scene.run({"retry", "c", "-o", "json"});
  INFO(done.error);
  CHECK(done.code == 0);
  CHECK(json::parse(done.out).at("status") == "succeeded");
  CHECK(ran() == Counts{1, 3, 1});

  const auto again = scene.run({"retry", "c"});
  CHECK(again.code == 1);
  CHECK(again.says("chain_state"));
  CHECK(ran() == Counts{1, 3, 1});
}

TEST_CASE("show tells each epoch of a chain: what opened it, what ran again, and how it ended") {
  const Scene scene;
  const auto file = scene.define("c.tool", definition({step("first", scene.tool("first", "[ -e flag ] || exit 1\necho '{}'\n")),
                                                       step("second", scene.tool("second", "exit 1\n"), {{"dependencies", {"first"}}})}));
  const auto epochs = [&] { return json::parse(scene.run({"show", "c", "-o", "json"}).out).at("epochs"); };
  REQUIRE(scene.run({"run", file, "--id", "c"}).code == 1);
  CHECK(epochs().size() == 1);
  CHECK_FALSE(scene.run({"show", "c"}).prints("OPENED BY"));
  scene.write("flag", "");
  REQUIRE(scene.run({"retry", "c", "--reason", "the flag is up"}).code == 1);
  const auto skipped = scene.run({"skip", "c", "second", "--with", "{}", "--reason", "known"});
  INFO(skipped.error);
  REQUIRE(skipped.code == 0);
  const auto all = epochs();
  REQUIRE(all.size() == 3);
  CHECK(all[0].at("opened_by") == "submitted");
  CHECK(all[0].at("status") == "failed");
  CHECK(all[0].at("attempts") == 1);
  CHECK(all[0].at("error").at("code") == "tool_failed");
  CHECK(all[1].at("opened_by") == "retry");
  CHECK(all[1].at("steps") == json{"first"});
  CHECK(all[1].at("attempts") == 2);
  CHECK(all[2].at("opened_by") == "skip");
  CHECK(all[2].at("steps") == json{"second"});
  CHECK(all[2].at("attempts") == 0);
  CHECK(all[2].at("status") == "succeeded");
  const auto shown = scene.run({"show", "c"});
  INFO(shown.out);
  CHECK(shown.prints("EPOCH  OPENED BY  WHO "));
  CHECK(shown.prints("  3      skip  "));
  CHECK(shown.prints("the flag is up"));
  CHECK_FALSE(all[0].contains("reason"));
  CHECK(all[1].at("reason") == "the flag is up");
  CHECK(all[2].at("reason") == "known");
  CHECK_FALSE(all[1].at("by").get<std::string>().empty());
  CHECK(all[2].at("by") == all[1].at("by"));
  CHECK(scene.run({"history", "c"}).prints("(its response was given by " + all[2].at("by").get<std::string>() + ": known)"));
}

TEST_CASE("a chain that was interrupted exits with 130 and names the command that goes on with it") {
  const Scene scene;
  auto process = start_long(scene);
  wait_until_it_runs(scene, process);
  process.kill(SIGTERM);
  CHECK(process.wait() == 130);
  CHECK(system_test::read_text(scene.folder() / "started-error").find("catena resume long") != std::string::npos);
  CHECK(scene.run({"list", "--status", "interrupted", "-o", "ids"}).out == "long\n");
  CHECK(scene.run({"list", "--status", "running", "-o", "ids"}).out.empty());
  const auto row = json::parse(scene.run({"list", "-o", "json"}).out);
  CHECK(row.at("status") == "interrupted");
  CHECK(row.at("last_status") == "running");
  CHECK(scene.run({"list"}).prints(" interrupted "));
  CHECK(scene.run({"show", "long"}).prints("nobody now; `catena resume long` goes on with it"));
}

TEST_CASE("cancel ends a chain that was stopped, with its reason in the history") {
  const Scene scene;
  interrupt_long(scene);
  const auto cancelled = scene.run({"cancel", "long", "--reason", "wrong week", "-o", "json"});
  INFO(cancelled.error);
  CHECK(cancelled.code == 0);
  CHECK(json::parse(cancelled.out).at("status") == "cancelled");
  CHECK(scene.run({"history", "long"}).prints("wrong week"));
  CHECK(scene.run({"show", "long"}).prints("reason     wrong week"));
  const auto shown = json::parse(scene.run({"show", "long", "-o", "json"}).out);
  CHECK(shown.at("cancel_reason") == "wrong week");
  CHECK(scene.run({"show", "long"}).prints("by         " + shown.at("cancelled_by").get<std::string>() + "\n"));
  CHECK(scene.run({"history", "long"}).prints("cancelling the chain (asked for by " + shown.at("cancelled_by").get<std::string>() + ": wrong week)"));
  CHECK(scene.lines("ran") == 1);

  SECTION("resuming it tells that it was cancelled, and exits with 3") {
    const auto resumed = scene.run({"resume", "long", "-o", "json"});
    CHECK(resumed.code == 3);
    CHECK(json::parse(resumed.out).at("status") == "cancelled");
  }
}

TEST_CASE("resuming a chain that has ended prints its outcome again and runs nothing") {
  const Scene scene;
  const auto file = scene.define("c.tool", definition({step("mark", scene.tool("mark", "echo ran >> ran\necho '{\"n\":1}'\n"))}));
  const auto first = scene.run({"run", file, "--id", "c"});
  REQUIRE(first.code == 0);
  const auto second = scene.run({"resume", "c"});
  CHECK(second.code == 0);
  CHECK(second.out == first.out);
  CHECK(scene.lines("ran") == 1);
}

TEST_CASE("while a process runs chains of a data directory, others of its user list, show, run, follow and cancel there") {
  const Scene scene;
  auto first = start_long(scene);
  wait_until_it_runs(scene, first);
  CHECK(scene.run({"list", "-o", "ids"}).out == "long\n");
  const auto shown = scene.run({"show", "long"});
  CHECK(shown.code == 0);
  CHECK(shown.prints("process " + std::to_string(first.pid())));
  CHECK(scene.run({"history", "long"}).prints("step mark entered"));
  const auto second = scene.run({"run", scene.define("g.tool", greeting()), "-p", "name=a", "--id", "beside"});
  INFO(second.error);
  CHECK(second.code == 0);
  CHECK(scene.run({"run", scene.define("g.tool", greeting()), "-p", "name=a", "--id", "long"}).says("chain_exists"));
  CHECK_FALSE(first.ended());
  const auto cancelled = scene.run({"cancel", "long", "-o", "json"});
  INFO(cancelled.error);
  CHECK(json::parse(cancelled.out).at("status") == "cancelled");
  CHECK(first.wait() == 3);
  CHECK(scene.run({"list", "-o", "ids"}).prints("beside"));
}

TEST_CASE("a chain that another process runs is paused, explained, amended, let go and killed") {
  const Scene scene;
  auto first = start_long(scene);
  wait_until_it_runs(scene, first);
  const auto paused = scene.run({"pause", "long", "--reason", "lunch"});
  INFO(paused.error);
  CHECK(paused.prints("chain 'long' is paused"));
  CHECK(scene.run({"explain", "long"}).prints("it is paused by "));
  CHECK(scene.run({"explain", "long"}).prints(": lunch; `catena unpause long` lets it go on"));
  CHECK(scene.run({"explain"}).prints("paused by a person"));
  CHECK(json::parse(scene.run({"show", "long", "-o", "json"}).out).at("paused").at("reason") == "lunch");
  CHECK(scene.run({"list", "-o", "json"}).prints("\"paused\""));
  const auto resumed = scene.run({"resume", "long"});
  CHECK(resumed.code != 0);
  CHECK(resumed.says("`catena unpause long` lets it go on"));
  CHECK(scene.run({"resume", "--all"}).says("1 chain left paused"));
  CHECK(scene.run({"amend", "long", "--priority", "3", "--retry-attempts", "7", "--reason", "late"}).prints("chain 'long' is amended"));
  CHECK(scene.run({"amend", "long", "--tolerate", "lots"}).says("a percentage such as 5%"));
  CHECK(scene.run({"amend", "long", "--max-concurrency", "3"}).says("is a fan-out"));
  CHECK(json::parse(scene.run({"show", "long", "-o", "json"}).out).at("priority") == 3);
  CHECK(scene.run({"history", "long"}).prints("chain amended: priority 3, 7 attempts by "));
  CHECK(scene.run({"explain", "long", "nothing"}).says("has no step 'nothing'"));
  CHECK(scene.run({"unpause", "long"}).prints("chain 'long' goes on"));
  CHECK(scene.run({"history", "long"}).prints("chain goes on after its pause"));
  CHECK(scene.run({"kill", "long", "--reason", "enough"}).code == 0);
  CHECK(first.wait() == 3);
  CHECK(scene.run({"explain", "long"}).prints("it is cancelled: nothing moves any more"));
  CHECK(scene.run({"explain"}).says("no chain is paused"));
}

TEST_CASE("a chain waits for a signal over the end of its process, and goes on with what is sent") {
  const Scene scene;
  const json waits{{"execution_id", "ask"}, {"signal", {{"name", "approve"}, {"timeout", "2d"}}}, {"dependencies", {"mark"}}};
  const auto file = scene.define("ask.tool", definition({step("mark", scene.tool("mark", "echo ran >> ran\necho '{}'\n")), waits}));
  scene.write("ran", "");
  auto first = scene.start({"run", file, "--id", "budget"});
  wait_until_it_runs(scene, first);
  CHECK(links_test::eventually([&] { return scene.run({"explain", "budget"}).prints("it waits for the signal 'approve'"); }));
  CHECK(scene.run({"show", "budget"}).prints("waiting"));
  CHECK(scene.run({"signal", "budget", "aprove"}).says("did you mean 'approve'?"));
  first.kill(SIGKILL);
  first.wait();
  const auto sent = scene.run({"signal", "budget", "approve", "--data", R"({"by": "ann"})", "--reason", "fine"});
  INFO(sent.error);
  CHECK(sent.code == 0);
  CHECK(json::parse(sent.out).at("ask") == json{{"by", "ann"}});
  CHECK(scene.run({"history", "budget"}).prints("signal 1 'approve' came by "));
  CHECK(scene.run({"signal", "budget", "approve"}).says("it has ended, and takes no signals"));
}

TEST_CASE("a step waits for approval over the end of its process, is found in the list, and runs with what was edited") {
  const Scene scene;
  json waits = step("pay", scene.tool("pay", "cat >> ran\necho '{}'\n"));
  waits["arguments"] = {{"amount", 500}};
  waits["approve"] = {{"who", "accounting"}, {"allow_edit", true}};
  const auto file = scene.define("pay.tool", definition({waits}));
  scene.write("ran", "");
  auto first = scene.start({"run", file, "--id", "bill"});
  CHECK(links_test::eventually([&] { return scene.run({"explain", "bill"}).prints("it waits for approval by accounting"); }));
  CHECK(scene.run({"show", "bill"}).prints("waiting"));
  CHECK(scene.run({"approvals"}).prints("bill"));
  first.kill(SIGKILL);
  first.wait();
  const auto listed = json::parse(scene.run({"approvals", "-o", "json"}).out);
  CHECK(listed.at("step") == "pay");
  CHECK(listed.at("arguments") == json{{"amount", 500}});
  CHECK(scene.run({"approve", "bill", "pya"}).says("did you mean 'pay'?"));
  const auto approved = scene.run({"approve", "bill", "pay", "--edit", R"({"amount": 90})", "--reason", "fine"});
  INFO(approved.error);
  CHECK(approved.code == 0);
  CHECK(system_test::read_text(scene.path("ran")).find(R"("amount":90)") != std::string::npos);
  CHECK(scene.run({"history", "bill"}).prints("step pay is approved with other arguments by "));
  CHECK(scene.run({"approvals"}).says("nothing waits for approval"));
  CHECK(scene.run({"approve", "bill", "pay"}).says("it has ended"));
  auto second = scene.start({"run", file, "--id", "other"});
  CHECK(links_test::eventually([&] { return scene.run({"approvals"}).prints("other"); }));
  CHECK(scene.run({"reject", "other", "pay", "--reason", "too much"}).code == 0);
  CHECK(second.wait() == 1);
  CHECK(scene.run({"show", "other"}).prints("it was rejected by "));
}

TEST_CASE("who finds the directory's door closed is told who holds the directory, and a coordinator's address") {
  const Scene scene;
  auto first = start_long(scene);
  wait_until_it_runs(scene, first);
  const auto holder = "process " + std::to_string(first.pid());
  // as a coordinator leaves it
  scene.write("data/door", "127.0.0.1:7420\n\n");
  const auto refused = scene.run({"resume", "long"});
  CHECK(refused.code == 1);
  CHECK(refused.says("storage_locked"));
  CHECK(refused.says(holder));
  CHECK(refused.says("--cluster 127.0.0.1:7420"));
  first.kill(SIGINT);
  CHECK(first.wait() == 130);
}

TEST_CASE("an attempt in doubt stops the chain, and the message says how to resolve it") {
  const Scene scene;
  lose_an_attempt(scene);
  const auto stuck = scene.run({"resume", "work"});
  CHECK(stuck.code == 1);
  CHECK(stuck.says("in_doubt"));
  CHECK(stuck.says("catena resolve work risky"));
  CHECK(scene.run({"show", "work"}).prints("catena resolve work risky"));

  SECTION("it happened: its response is taken, and it is not made again") {
    const auto done = scene.run({"resolve", "work", "risky", "--response", R"({"n":7})", "--reason", "the bank says so"});
    INFO(done.error);
    CHECK(done.code == 0);
    CHECK(json::parse(done.out) == json{{"n", 7}});
    CHECK(scene.lines("ran") == 1);
    CHECK(scene.run({"history", "work"}).prints(": the bank says so)"));
    CHECK_FALSE(scene.run({"history", "work"}).prints("resolved by a person"));
  }
  SECTION("it did not happen: it is made again") {
    const auto done = scene.run({"resolve", "work", "risky", "--again"});
    INFO(done.error);
    CHECK(done.code == 0);
    CHECK(json::parse(done.out) == json{{"n", 1}});
    CHECK(scene.lines("ran") == 2);
  }
  SECTION("it failed: so does the chain, with what the person said") {
    const auto failed = scene.run({"resolve", "work", "risky", "--failed", "the bank said no"});
    CHECK(failed.code == 0);  // that is what it was told
    CHECK(failed.says("risky of chain 'work' is resolved; chain 'work' failed with it: "));
    CHECK(failed.says("the bank said no"));
    CHECK_FALSE(failed.says("error["));
    CHECK(json::parse(scene.run({"list", "-o", "json"}).out).at("status") == "failed");
    CHECK(scene.lines("ran") == 1);
  }
  SECTION("what is not in doubt cannot be resolved") {
    CHECK(scene.run({"resolve", "work", "riksy", "--again"}).says("did you mean 'risky'?"));
    CHECK(scene.run({"resolve", "work", "riksy", "--again"}).code == 2);
    CHECK(scene.run({"resolve", "work", "after", "--again"}).says("nothing of 'after' is in doubt"));
    CHECK(scene.run({"resolve", "work", "risky/x", "--again"}).code == 2);
    CHECK(scene.run({"resolve", "work", "risky", "--again", "--failed", "both"}).code == 2);
    CHECK(scene.run({"resolve", "work", "risky"}).code == 2);
    CHECK(scene.run({"resolve", "work", "risky", "--response", "7"}).code == 2);
  }
}

TEST_CASE("resolving one of several attempts in doubt is no error: the others are named") {
  const Scene scene;
  scene.write("ran", "");
  const auto risky = scene.tool("risky", "echo ran >> ran\nread -r line < gate\n", {{"effect", "at_most_once"}});
  const auto file = scene.define(
      "both.tool", definition({step("each", risky, {{"parallel_execution", {{"iterate_over", {1, 2}}, {"child_argument_name", "i"}}}})}));
  {
    const NamedPipe gate{scene.folder() / "gate"};
    auto process = scene.start({"run", file, "--id", "both"});
    REQUIRE(system_test::wait_for_writes(scene.folder() / "ran", process, [&] { return scene.lines("ran") == 2; }));
    process.kill(SIGKILL);
    REQUIRE(process.wait() == -SIGKILL);
  }
  REQUIRE(scene.run({"resume", "both"}).says("catena resolve both each/1"));
  const auto resolved = scene.run({"resolve", "both", "each/0", "--response", "{}"});
  INFO(resolved.error);
  CHECK(resolved.code == 0);
  CHECK(resolved.says("each/0 of chain 'both' is resolved; one more attempt is in doubt:"));
  CHECK(resolved.says("`catena resolve both each/1 --response JSON`"));
  CHECK_FALSE(resolved.says("error["));
  CHECK(scene.run({"resolve", "both", "each/1", "--response", "{}"}).code == 0);
}

TEST_CASE("resume --all goes on with every chain that has not ended and says how each ended") {
  const Scene scene;
  lose_an_attempt(scene);
  REQUIRE(scene.run({"run", scene.define("g.tool", greeting()), "-p", "name=a", "--id", "done"}).code == 0);
  const auto resumed = scene.run({"resume", "--all"});
  INFO(resumed.error);
  CHECK(resumed.code == 1);
  CHECK(resumed.says("catena resolve work risky"));
  CHECK_FALSE(resumed.prints("done"));
  CHECK(scene.run({"resume", "--all", "work"}).code == 2);
  CHECK(scene.run({"resume"}).code == 2);
}

}  // namespace cli_test
