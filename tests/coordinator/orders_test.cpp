// What a person asks of a chain, and what is refused.
#include <catch2/catch.hpp>

#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

Code refused_code(Fixture& f) {
  f.run();
  REQUIRE(f.refused.size() == 1);
  const auto code = f.refused.front().error.code;
  f.forget();
  return code;
}

TEST_CASE("cancel stops what runs; later reports change nothing") {
  Fixture f;
  f.script.obeys_stops = false;
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  f.run();
  const auto late = f.script.pending.begin()->second;
  f.control("c", engine::Cancel{"enough"});
  f.run();
  CHECK(f.script.stops == 1);
  f.script.release("c/a", failure(Code::cancelled));
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.accepted.size() == 2);
  const auto events = f.history().size();
  caf::anon_send(late.reporter, actors::WorkReport{late.grant, late.incarnation, {{0, true, "{}", 1}}, {}});
  f.run();
  CHECK(f.history().size() == events);
  CHECK(f.script.count("c/b") == 0);
  CHECK(f.tickets_free() == 8);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("an attempt that ends well although it was to stop does not undo the cancellation") {
  Fixture f;
  f.script.obeys_stops = false;
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  f.run();
  f.control("c", engine::Cancel{"enough"});
  f.run();
  f.script.release("c/a", answer("{}"));
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(f.script.count("c/b") == 0);
}

TEST_CASE("a paused chain starts nothing; unpaused it goes on") {
  Fixture f;
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  f.script.release("c/a");
  f.run();
  CHECK(f.script.count("c/b") == 0);
  CHECK(f.state().status == ChainStatus::paused);
  CHECK(f.tickets_free() == 8);
  f.control("c", engine::Unpause{});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<engine::PauseChanged>() == 2);
}

TEST_CASE("a chain stays paused through a crash") {
  Fixture f;
  f.script.on("c/a", 1, held());
  const auto package = pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}));
  f.submit(package);
  f.run();
  f.control("c", engine::Pause{});
  f.run();
  f.crash();
  f.resume();
  f.run();
  CHECK(f.script.executions.size() == 1);
  CHECK(f.state().status == ChainStatus::paused);
  f.control("c", engine::Unpause{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("retry of a failed chain runs only what failed or never ran") {
  Fixture f;
  f.script.on("c/a/1", failure(Code::tool_failed));
  const auto package = pin(composite(
      {step("first"), step("a", R"("dependencies": ["first"], "parallel_execution": {"iterate_over": [1, 2, 3], "child_argument_name": "i"})"),
       step("last", R"("arguments": {"l": "REF:a.response"})")},
      R"("response_reference_map": {"l": "REF:last.l"})"));
  CHECK(f.complete(package).status == ChainStatus::failed);
  f.forget();
  f.script.on("c/a/1", answer(R"({"i": 22})"));
  f.control("c", engine::Retry{});
  f.await();
  const auto ended = f.finish();
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["l"] == Json{{{"i", 1}}, {{"i", 22}}, {{"i", 3}}});
  CHECK(f.script.count("c/first") == 1);
  CHECK(f.script.count("c/a/0") == 1);
  CHECK(f.script.count("c/a/1") == 2);
  CHECK(f.script.count("c/last") == 1);
  f.run();
  CHECK(f.tickets_free() == 8);
  CHECK(f.actors_left() == 0);
}

TEST_CASE("a cancelled chain can be retried") {
  Fixture f;
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  f.run();
  f.control("c", engine::Cancel{"enough"});
  CHECK(f.finish().status == ChainStatus::cancelled);
  f.forget();
  f.script.on("c/a", answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("an id is submitted once, running or ended") {
  Fixture f;
  f.script.on("c/a", held());
  const auto package = pin(composite({step("a")}));
  f.submit(package);
  f.run();
  f.tell(actors::Submission{ChainId{"c"}, package, package->root, {}, {}, storage::Durability::sync, {}, 0, 0, 0, {}});
  CHECK(refused_code(f) == Code::chain_exists);
  f.script.release("c/a");
  f.finish();
  f.forget();
  f.tell(actors::Submission{ChainId{"c"}, package, package->root, {}, {}, storage::Durability::sync, {}, 0, 0, 0, {}});
  CHECK(refused_code(f) == Code::chain_exists);
  CHECK(f.script.executions.size() == 1);
}

TEST_CASE("two submissions of one id at once: one is accepted, one refused") {
  Fixture f;
  const auto package = pin(composite({step("a")}));
  const actors::Submission submission{
      ChainId{"c"}, package, package->root, engine::inline_payload("{}"), {}, storage::Durability::sync, {}, 0, 0, 0, {}};
  f.tell(submission);
  f.tell(submission);
  CHECK(refused_code(f) == Code::chain_exists);
  CHECK(f.script.executions.size() == 1);
}

TEST_CASE("an id that no chain may have is refused") {
  Fixture f;
  const auto package = pin(composite({step("a")}));
  for (const auto* id : {"", "a b", "x\n"}) {
    f.tell(actors::Submission{ChainId{id}, package, package->root, {}, {}, storage::Durability::sync, {}, 0, 0, 0, {}});
    CHECK(refused_code(f) == Code::id_invalid);
  }
}

TEST_CASE("orders that do not fit the state of an ended chain are refused") {
  Fixture f;
  f.complete(pin(composite({step("a")})));
  f.forget();
  f.resume();
  CHECK(refused_code(f) == Code::chain_state);
  f.control("c", engine::Cancel{"x"});
  CHECK(refused_code(f) == Code::chain_state);
  f.control("c", engine::Pause{});
  CHECK(refused_code(f) == Code::chain_state);
  f.control("c", engine::Retry{});
  CHECK(refused_code(f) == Code::chain_state);
}

TEST_CASE("a running chain cannot be retried") {
  Fixture f;
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.control("c", engine::Retry{});
  CHECK(refused_code(f) == Code::chain_state);
}

TEST_CASE("an id that nobody submitted is not found") {
  Fixture f;
  f.resume("nobody");
  CHECK(refused_code(f) == Code::chain_not_found);
  f.await("nobody");
  CHECK(refused_code(f) == Code::chain_not_found);
  f.control("nobody", engine::Cancel{"x"});
  CHECK(refused_code(f) == Code::chain_not_found);
}

TEST_CASE("an order is answered at whatever moment it comes") {
  const auto package = pin(composite({step("a")}));
  for (std::size_t messages = 1;; ++messages) {
    CAPTURE(messages);
    Fixture f;
    f.submit(package);
    const auto done = f.run_messages(messages);
    if (f.has_ended() && done < messages) break;
    f.control("c", engine::Pause{});
    f.run();
    const auto answers = std::ranges::count(f.accepted, ChainId{"c"}) + static_cast<std::ptrdiff_t>(f.refused.size());
    CHECK(answers == 2);  // to the submission, and to the order
    f.control("c", engine::Unpause{});
    CHECK(f.finish().status == ChainStatus::succeeded);
    f.run();
    CHECK(f.tickets_free() == 8);
    CHECK(f.actors_left() == 0);
  }
}

TEST_CASE("whoever awaits an ended chain hears of its end at once") {
  Fixture f;
  f.complete(pin(composite({step("a")})));
  f.forget();
  f.await();
  f.run();
  REQUIRE(f.ended.size() == 1);
  CHECK(f.ended.front().status == ChainStatus::succeeded);
}

TEST_CASE("progress counts steps and items") {
  Fixture f;
  f.script.on("c/a/2", held());
  f.submit(pin(composite({step("first"),
                          step("a", R"("dependencies": ["first"], "parallel_execution": {"iterate_over": [1, 2, 3], "child_argument_name": "i"})"),
                          step("last", R"("dependencies": ["a"])")})));
  f.run();
  f.tell(actors::AskProgress{ChainId{"c"}});
  f.run();
  REQUIRE(f.progress.size() == 1);
  const auto& progress = f.progress.front();
  CHECK(progress.status == ChainStatus::running);
  CHECK(progress.steps_settled == 1);
  CHECK(progress.steps_total == 3);
  CHECK(progress.items_settled == 2);
  CHECK(progress.items_total == 3);
  REQUIRE(progress.running.size() == 1);
  CHECK(progress.running.front().step == "a");
}

}  // namespace
}  // namespace catena::coordinator::test
