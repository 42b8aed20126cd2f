// A worker that leaves: what it gives back, what it finishes, and when it is gone. In virtual time.
#include <catch2/catch.hpp>

#include "tests/worker/uplink_stage.hpp"
#include "worker/uplink.hpp"

namespace catena::worker::test {
namespace {

TEST_CASE("a draining worker gives back what has not begun, finishes the rest and says goodbye") {
  Stage stage;
  stage.welcome();
  stage.order({0, 1});
  stage.node.begun = {{1, 0}};
  stage.advance(Millis{50});
  stage.tell(Drain{});
  CHECK(stage.status.draining);
  CHECK(stage.far().reported() == Items{1});
  stage.advance(Millis{500});
  CHECK(stage.far().all<actors::Heartbeat>().back().draining);
  CHECK(stage.far().all<actors::Goodbye>().empty());
  stage.order({0}, 2);  // it was on its way
  CHECK(stage.node.orders.size() == 1);
  CHECK(stage.far().reported() == Items{1, 0});
  stage.finish(0);
  stage.say(actors::OrderDone{"c", 1});
  CHECK(stage.far().all<actors::Goodbye>().empty());
  stage.say(actors::OrderDone{"c", 2});
  CHECK(stage.far().all<actors::Goodbye>().size() == 1);
  CHECK_FALSE(stage.status.done);
  CHECK(stage.status.ending == Ending::none);
  SECTION("the coordinator says that it has heard") { stage.say(actors::Farewell{}); }
  SECTION("the session ends") { stage.lose_link(); }
  CHECK(stage.status.done);
  CHECK(stage.status.ending == Ending::drained);
  CHECK(stage.calls == 1);
}

TEST_CASE("the coordinator's order to drain does the same, and can be taken back") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.node.begun = {{1, 0}};
  stage.say(actors::DrainNode{true});
  CHECK(stage.status.draining);
  stage.say(actors::DrainNode{false});
  CHECK_FALSE(stage.status.draining);
  stage.order({0}, 2);
  CHECK(stage.node.orders.size() == 2);
  stage.finish(0);
  stage.say(actors::OrderDone{"c", 1});
  stage.advance(Millis{500});
  CHECK(stage.far().all<actors::Goodbye>().empty());
}

TEST_CASE("a worker that was told to end here cannot be told to stay") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.node.begun = {{1, 0}};
  stage.say(actors::DrainNode{true});
  stage.tell(Drain{});
  stage.say(actors::DrainNode{false});
  CHECK(stage.status.draining);
}

TEST_CASE("a worker leaves only when the coordinator knows that it drains: no order may be on its way to it") {
  Stage stage;
  stage.welcome();
  stage.tell(Drain{});
  stage.advance(Millis{100});
  CHECK(stage.far().all<actors::Heartbeat>().back().draining);
  CHECK(stage.far().all<actors::Goodbye>().empty());
  stage.advance(Millis{200});
  CHECK(stage.far().all<actors::Goodbye>().size() == 1);
}

TEST_CASE("a goodbye that nobody answers delays the end only a little") {
  Stage stage;
  stage.welcome();
  stage.tell(Drain{});
  stage.advance(Millis{3'000});
  CHECK(stage.status.done);
  CHECK(stage.status.ending == Ending::drained);
}

TEST_CASE("a worker that holds nothing and has no link just leaves") {
  Stage stage;
  stage.reachable = false;
  stage.run();
  stage.tell(Drain{});
  CHECK(stage.status.done);
  CHECK(stage.status.ending == Ending::drained);
}

TEST_CASE("a draining worker without a link waits for one until its lease has ended: the coordinator may have work for it that never came") {
  Stage stage;
  stage.welcome();
  stage.reachable = false;
  stage.lose_link();
  stage.tell(Drain{});
  CHECK_FALSE(stage.status.done);
  SECTION("none comes") {
    stage.advance(Stage::kLease + 2 * Stage::kBeat);
    CHECK(stage.status.ending == Ending::drained);
  }
  SECTION("one comes: what it brings is given back") {
    stage.reachable = true;
    stage.welcome();
    stage.order({0});
    CHECK(stage.far().reported() == Items{0});
    CHECK(stage.node.orders.empty());
    CHECK_FALSE(stage.status.done);
  }
}

TEST_CASE("draining ends with its time, whatever still runs, and what is left is told") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.node.begun = {{1, 0}};
  stage.tell(Drain{});
  stage.advance(Millis{290'000});
  CHECK_FALSE(stage.status.done);
  stage.advance(Millis{11'000});
  CHECK(stage.status.done);
  CHECK(stage.far().all<actors::Goodbye>().empty());
  CHECK(stage.status.ending == Ending::leftovers);
  CHECK(stage.logged("1 attempts that have not ended are stopped and lost"));
}

TEST_CASE("a drain timeout that changes holds at once, also for a drain that goes on") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.node.begun = {{1, 0}};
  stage.tell(Drain{});
  stage.advance(Millis{5'000});
  stage.tell(DrainTime{8'000});
  stage.advance(Millis{2'500});
  CHECK_FALSE(stage.status.done);
  stage.advance(Millis{1'000});
  CHECK(stage.status.ending == Ending::leftovers);
}

TEST_CASE("a result that the coordinator did not confirm within the drain timeout is left over") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.node.begun = {{1, 0}};
  stage.tell(Drain{});
  stage.finish(0);
  stage.advance(Millis{301'000});
  CHECK(stage.status.ending == Ending::leftovers);
  CHECK(stage.logged("1 results are not confirmed"));
}

TEST_CASE("a draining worker that loses its link comes back to hand over what it has") {
  Stage stage;
  stage.welcome();
  stage.order({0});
  stage.node.begun = {{1, 0}};
  stage.tell(Drain{});
  stage.lose_link();
  stage.finish(0);
  stage.welcome();
  stage.order({0});
  CHECK(stage.far().reported() == Items{0});
  stage.say(actors::OrderDone{"c", 1});
  stage.advance(Millis{300});
  CHECK(stage.far().all<actors::Goodbye>().size() == 1);
}

}  // namespace
}  // namespace catena::worker::test
