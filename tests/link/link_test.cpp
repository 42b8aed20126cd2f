#include <catch2/catch.hpp>

#include <algorithm>

#include "link/link.hpp"

namespace catena::link::test {
namespace {

constexpr LinkLimits kSmall{.frame_bytes = 4, .window_bytes = 140, .message_bytes = 32};

/// Hands over what `from` may send now; the messages that were complete at `to`.
std::vector<std::string> hand_over(Link& from, Link& to) {
  std::vector<std::string> messages;
  for (auto& frame : from.outgoing()) {
    auto taken = to.receive(std::move(frame));
    REQUIRE(taken);
    std::ranges::move(*taken, std::back_inserter(messages));
  }
  return messages;
}

}  // namespace

TEST_CASE("messages of any size arrive whole and in order") {
  Link left{}, right{};
  const std::string large(1'000'000, 'x');
  left.send("a");
  left.send(large);
  left.send("b");
  CHECK(hand_over(left, right) == std::vector<std::string>{"a", large, "b"});
  CHECK(left.waiting() == 0);
}

TEST_CASE("no more than the window is sent before it is acknowledged") {
  Link left{kSmall}, right{kSmall};
  for (int message = 0; message < 6; ++message) left.send("1234");
  CHECK(hand_over(left, right).size() == 3);  // the third begins within the window
  CHECK(hand_over(left, right).empty());
  CHECK(left.waiting() == 12);
  CHECK(hand_over(right, left).empty());  // an acknowledgement is no message
  CHECK(hand_over(left, right).size() == 3);
}

TEST_CASE("a frame that comes twice breaks the link: no line delivers one twice") {
  Link left, right;
  left.send("a");
  const auto frames = left.outgoing();
  REQUIRE(frames.size() == 1);
  CHECK(right.receive(frames.front()).value() == std::vector<std::string>{"a"});
  CHECK_FALSE(right.receive(frames.front()));
}

TEST_CASE("a lost frame breaks the link") {
  Link left{}, right{};
  left.send("a");
  left.send("b");
  const auto frames = left.outgoing();
  REQUIRE(frames.size() == 2);
  const auto taken = right.receive(frames.back());
  REQUIRE(!taken);
  CHECK(taken.error().code == Code::connection_failed);
}

TEST_CASE("an acknowledgement of what was never sent breaks the link") {
  Link left;
  Frame early;
  early.acked = 3;
  CHECK(!left.receive(early));
}

TEST_CASE("a message over the limit breaks the link instead of filling memory") {
  Link left{{.frame_bytes = 4, .window_bytes = 1000, .message_bytes = 1000}}, right{kSmall};
  left.send(std::string(40, 'x'));
  bool broken = false;
  for (auto& frame : left.outgoing()) broken = broken || !right.receive(std::move(frame));
  CHECK(broken);
}

TEST_CASE("what came is acknowledged once where nothing else is to be sent") {
  Link left{}, right{};
  CHECK_FALSE(right.acknowledgement());
  left.send("a");
  left.send("b");
  CHECK(hand_over(left, right).size() == 2);
  CHECK(left.sent() == 2);
  CHECK(left.acked() == 0);
  const auto frame = right.acknowledgement();
  REQUIRE(frame);
  CHECK(left.receive(*frame).value().empty());
  CHECK(left.acked() == 2);
  CHECK_FALSE(right.acknowledgement());
  left.send("c");
  CHECK(hand_over(left, right).size() == 1);
  right.send("d");
  CHECK(hand_over(right, left).size() == 1);  // it says so as well
  CHECK(left.acked() == 3);
  CHECK_FALSE(right.acknowledgement());
}

}  // namespace catena::link::test
