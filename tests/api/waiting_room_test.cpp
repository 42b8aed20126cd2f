// Who waits for a chain, and for how long.
#include "api/waiting_room.hpp"

#include <catch2/catch.hpp>

namespace catena::api::test {
namespace {

struct Guests {
  std::vector<int> answered;
  Reply guest(int number) {
    return [this, number](const Answer&) { answered.push_back(number); };
  }
  void answer(const std::vector<Reply>& replies) {
    for (const auto& reply : replies) reply({});
  }
};

const ChainId kNap{"nap"};
const ChainId kWalk{"walk"};

}  // namespace

TEST_CASE("those who wait for a chain leave together when it ends") {
  Guests guests;
  WaitingRoom room{10, 100};
  auto one = guests.guest(1), two = guests.guest(2), three = guests.guest(3);
  CHECK(room.enter(kNap, one, 100) == WaitingRoom::Entered::first);
  CHECK(room.enter(kNap, two, 50) == WaitingRoom::Entered::further);
  CHECK(room.enter(kWalk, three, 70) == WaitingRoom::Entered::first);
  CHECK(room.next_due_ms() == 50);
  guests.answer(room.leave(kNap));
  CHECK(guests.answered == std::vector{1, 2});
  CHECK(room.size() == 1);
  CHECK(room.next_due_ms() == 70);
  CHECK(room.leave(kNap).empty());
}

TEST_CASE("those whose time is over leave, and the others stay") {
  Guests guests;
  WaitingRoom room{10, 100};
  auto one = guests.guest(1), two = guests.guest(2), three = guests.guest(3);
  static_cast<void>(room.enter(kNap, one, 100));
  static_cast<void>(room.enter(kNap, two, 50));
  static_cast<void>(room.enter(kWalk, three, 50));
  CHECK(room.expired(49).empty());
  const auto over = room.expired(50);
  REQUIRE(over.size() == 2);
  CHECK(over[0].chain == kNap);
  CHECK_FALSE(over[0].last);
  CHECK(over[1].last);
  for (const auto& each : over) guests.answer(each.replies);
  CHECK(guests.answered == std::vector{2, 3});
  CHECK(room.size() == 1);
  CHECK(room.next_due_ms() == 100);
  guests.answer(room.leave_all());
  CHECK_FALSE(room.next_due_ms());
}

TEST_CASE("a full room keeps nobody's reply") {
  Guests guests;
  WaitingRoom room{1, 100};
  auto one = guests.guest(1), two = guests.guest(2);
  CHECK(room.enter(kNap, one, 100) == WaitingRoom::Entered::first);
  CHECK(room.enter(kNap, two, 100) == WaitingRoom::Entered::refused);
  two({});
  CHECK(guests.answered == std::vector{2});
}

TEST_CASE("the bodies of those who wait are bounded together, and given back") {
  Guests guests;
  WaitingRoom room{10, 100};
  auto one = guests.guest(1), two = guests.guest(2), three = guests.guest(3);
  CHECK(room.enter(kNap, one, 10, 60) == WaitingRoom::Entered::first);
  CHECK(room.enter(kNap, two, 10, 41) == WaitingRoom::Entered::refused);
  CHECK(room.enter(kWalk, two, 20, 40) == WaitingRoom::Entered::first);
  CHECK(room.enter(kNap, three, 10, 1) == WaitingRoom::Entered::refused);
  CHECK(room.expired(10).size() == 1);
  CHECK(room.enter(kNap, three, 30, 60) == WaitingRoom::Entered::first);
  CHECK(room.leave(kWalk).size() == 1);
  CHECK(room.size() == 1);
}

}  // namespace catena::api::test
