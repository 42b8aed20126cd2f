// Steps with `finally: true`: they run however their chain ends, and before its parent hears of that.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using Catch::Matchers::Contains;
using engine::ChainStatus;
using engine::VisitStatus;

const std::string kFinally = R"("finally": true)";

/// a, then b; whatever becomes of them, z hears of it.
std::string work_and_report(const std::string& more = {}) {
  return composite(
      {step("a"), step("b", R"("dependencies": ["a"])"),
       step("z",
            R"("finally": true, "arguments": {"a": "REF:a.status", "b": "REF:b.status", "why": "REF:a.error_message", "of_b": "REF:b.response"})" +
                more)});
}

/// A chain whose step "sub" is a chain with a final step.
Pinned parent_of_one(const std::string& more = {}) {
  return pin(composite({step("sub", more, "/inner.tool")}), {{"/inner.tool", composite({step("work"), step("tidy", kFinally)})}});
}

/// What failed succeeds this time.
void run_again(Fixture& f, const std::string& failed) {
  f.script.on(failed, answer("{}"));
  f.script.executions.clear();
  f.forget();
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

}  // namespace

TEST_CASE("a final step runs when the others have succeeded, and the chain ends behind it") {
  Fixture f;
  CHECK(f.complete(pin(work_and_report())).status == ChainStatus::succeeded);
  CHECK(f.script.keys() == std::vector<std::string>{"c/a", "c/b", "c/z"});
  CHECK(arguments_of(f, "c/z") == Json::parse(R"({"a": "completed", "b": "completed", "why": null, "of_b": {}})"));
}

TEST_CASE("a final step of a chain that fails sees what became of the others, and the chain's error stays theirs") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  SECTION("the final step succeeds") {}
  SECTION("the final step fails too") { f.script.on("c/z", failure(Code::tool_output_invalid)); }
  const auto ended = f.complete(pin(work_and_report()));
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::tool_failed);
  CHECK_THAT(ended.error->message, Contains("step 'a'"));
  CHECK(f.script.keys() == std::vector<std::string>{"c/a", "c/z"});
  const auto seen = arguments_of(f, "c/z");
  CHECK(seen["a"] == "failed");
  CHECK(seen["b"] == "cancelled");
  CHECK_THAT(seen["why"].get<std::string>(), Contains("as the script says"));
  CHECK(seen["of_b"].is_null());
}

TEST_CASE("a chain whose final step fails has failed") {
  Fixture f;
  f.script.on("c/z", failure(Code::tool_failed));
  const auto ended = f.complete(pin(work_and_report()));
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK_THAT(ended.error->message, Contains("step 'z'"));
}

TEST_CASE("a failure that a final step's conditions ask for is not handled by that") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  const auto asks = [](const std::string& wanted) {
    return R"("finally": true, "conditions": [{"param": "REF:a.status", "operator": "equals", "value": ")" + wanted + R"("}])";
  };
  CHECK(f.complete(pin(composite({step("a"), step("y", asks("completed")), step("z", asks("failed"))}))).status == ChainStatus::failed);
  CHECK(f.script.keys() == std::vector<std::string>{"c/a", "c/z"});
  CHECK(f.state().steps[1].status == VisitStatus::skipped);
}

TEST_CASE("a cancelled chain stops what runs, then runs its final steps") {
  Fixture f;
  f.script.on("c/a", held());
  f.script.on("c/z", held());
  f.submit(pin(work_and_report()));
  f.run();
  f.control("c", engine::Cancel{"enough"});
  f.run();
  CHECK(f.script.keys() == std::vector<std::string>{"c/a", "c/z"});
  CHECK(arguments_of(f, "c/z")["a"] == "cancelled");
  SECTION("and ends when they have ended") {
    f.control("c", engine::Cancel{"again"});
    f.run();
    CHECK(f.script.pending.size() == 1);
    f.script.release("c/z", answer("{}"));
    CHECK(f.finish().status == ChainStatus::cancelled);
    CHECK(f.state().steps[2].status == VisitStatus::completed);
    CHECK(f.state().cancel_words.get().reason == "enough");
  }
  SECTION("unless it is to end now") {
    f.control("c", engine::Cancel{"now", true});
    CHECK(f.finish().status == ChainStatus::cancelled);
    CHECK(f.script.pending.empty());
    CHECK(f.state().steps[2].status == VisitStatus::cancelled);
  }
}

TEST_CASE("a chain that is cancelled for good runs no final step") {
  Fixture f;
  f.script.on("c/a", held());
  f.submit(pin(work_and_report()));
  f.run();
  f.control("c", engine::Cancel{"now", true});
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.script.count("c/z") == 0);
}

TEST_CASE("children run their final steps before their parent ends") {
  Fixture f;
  f.script.on("c/sub/work", held());
  f.submit(parent_of_one());
  f.run();
  f.control("c", engine::Cancel{"enough"});
  f.run();
  CHECK(f.script.count("c/sub/tidy") == 1);
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.state("c/sub").status == ChainStatus::cancelled);
  CHECK(f.state("c/sub").steps[1].status == VisitStatus::completed);
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("cancelling a chain does not cut off the chain that its final step has started") {
  Fixture f;
  f.script.on("c/a", failure(Code::tool_failed));
  f.script.on("c/tidy/work", held());
  f.submit(pin(composite({step("a"), step("tidy", kFinally, "/inner.tool")}),
               {{"/inner.tool", composite({step("work", {}, "/leaf.tool")})}, {"/leaf.tool", composite({step("deep")})}}));
  f.script.on("c/tidy/work/deep", held());
  f.run();
  REQUIRE(f.script.pending.contains("c/tidy/work/deep"));
  f.control("c", engine::Cancel{"enough"});
  f.run();
  CHECK(f.script.pending.contains("c/tidy/work/deep"));
  SECTION("it goes on") {
    f.script.release("c/tidy/work/deep", answer("{}"));
    CHECK(f.finish().status == ChainStatus::failed);
    CHECK(f.state("c/tidy").status == ChainStatus::succeeded);
  }
  SECTION("but for good") {
    f.control("c", engine::Cancel{"now", true});
    CHECK(f.finish().status == ChainStatus::failed);
    CHECK(f.state("c/tidy").status == ChainStatus::cancelled);
    CHECK(f.state("c/tidy/work").status == ChainStatus::cancelled);
    CHECK(f.script.pending.empty());
  }
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("children that do not live are gone on with for their final steps, and for nothing else") {
  Fixture f;
  f.script.on("c/sub/0/work", held());
  f.script.on("c/sub/1/work", held());
  f.submit(pin(composite({step("sub", over(2), "/inner.tool"), step("other", over(3), "/plain.tool")}),
               {{"/inner.tool", composite({step("work"), step("tidy", kFinally)})}, {"/plain.tool", composite({step("wait")})}}));
  f.script.otherwise = [](const auto& attempt) { return attempt.key.ends_with("/wait") ? held() : answer("{}"); };
  f.run();
  f.crash();
  const bool now = GENERATE(false, true);
  CAPTURE(now);
  f.control("c", engine::Cancel{"enough", now});
  f.await();
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.script.count("c/sub/0/tidy") == (now ? 0 : 1));
  CHECK(f.script.count("c/sub/1/tidy") == (now ? 0 : 1));
  CHECK(f.state("c/sub/1").status == ChainStatus::cancelled);
  CHECK(f.state("c/other/2").status == ChainStatus::cancelled);
  CHECK(f.state_of<SupervisorState>(f.supervisor).spawned == (now ? 1 : 3));
  f.run();
  CHECK(f.actors_left() == 0);
}

TEST_CASE("wherever the power fails, each chain has run its final steps when it has ended") {
  for (std::size_t messages = 5;; messages += 4) {
    CAPTURE(messages);
    Fixture f;
    f.script.on("c/sub/1/work", failure(Code::tool_failed));
    f.submit(pin(composite({step("sub", over(3), "/inner.tool"), step("z", kFinally)}),
                 {{"/inner.tool", composite({step("work"), step("tidy", kFinally)})}}));
    f.run_messages(messages);
    if (f.has_ended()) break;
    f.crash();
    if (!f.exists()) continue;
    if (!engine::terminal(f.state().status)) {
      f.resume();
      f.control("c", engine::Cancel{});
      f.await();
      CHECK(engine::terminal(f.finish().status));
    }
    CHECK(engine::settled(f.state().steps[1].status));
    for (int child = 0; child < 3; ++child) {
      const auto id = "c/sub/" + std::to_string(child);
      if (!f.exists(id)) continue;
      CHECK(engine::terminal(f.state(id).status));
      CHECK(engine::settled(f.state(id).steps[1].status));
    }
  }
}

TEST_CASE("a retry runs the final steps again when others run again, and only then") {
  Fixture f;
  SECTION("others do") {
    f.script.on("c/b", failure(Code::tool_failed));
    CHECK(f.complete(pin(work_and_report())).status == ChainStatus::failed);
    run_again(f, "c/b");
    CHECK(f.script.keys() == std::vector<std::string>{"c/b", "c/z@2"});
  }
  SECTION("none does") {
    f.script.on("c/z", failure(Code::tool_failed));
    CHECK(f.complete(pin(composite({step("a"), step("y", kFinally), step("z", kFinally)}))).status == ChainStatus::failed);
    run_again(f, "c/z");
    CHECK(f.script.keys() == std::vector<std::string>{"c/z"});
  }
}

}  // namespace catena::coordinator::test
