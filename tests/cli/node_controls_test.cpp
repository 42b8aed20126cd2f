// What people are told of orders to workers.
#include "cli/node_controls.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {

using actors::NodeVerb;

TEST_CASE("a worker has left when its incarnation is not there, whoever has its name now") {
  const auto node = [](const char* name, Incarnation incarnation) {
    actors::NodeInfo info;
    info.id = WorkerId{name};
    info.incarnation = incarnation;
    return info;
  };
  CHECK_FALSE(cli::has_left(node("w1", 7), {{node("w1", 7), node("w2", 7)}}));
  CHECK(cli::has_left(node("w1", 7), {{node("w2", 7)}}));
  CHECK(cli::has_left(node("w1", 7), {{node("w1", 8)}}));
  CHECK(cli::has_left(node("w1", 7), {}));
}

TEST_CASE("only a worker that is there is told to drain") {
  CHECK(cli::outcome(NodeVerb::drain, "w1", true) == "w1 is draining");
  CHECK(cli::outcome(NodeVerb::drain, "w1", false).find("when it comes back it is cordoned, until `catena uncordon w1`") != std::string::npos);
  CHECK(cli::outcome(NodeVerb::cordon, "w1", true) == "w1 is cordoned");
  CHECK(cli::outcome(NodeVerb::cordon, "w1", false) == "w1 is cordoned, and away");
  CHECK(cli::outcome(NodeVerb::uncordon, "w1", true) == "w1 is open");
  CHECK(cli::outcome(NodeVerb::uncordon, "w1", false) == "w1 is open, and away");
}

}  // namespace catena::cli::test
