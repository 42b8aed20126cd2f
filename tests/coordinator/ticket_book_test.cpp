// Which tickets a chain has, how much goes out for one, and what is asked back at the end of a fan-out.
#include "coordinator/ticket_book.hpp"

#include <catch2/catch.hpp>

namespace catena::coordinator {
namespace {

const VisitId kVisit{0, 1};
const WorkerId kQuick{"quick"};
const WorkerId kSlow{"slow"};
constexpr UnixMillis kSettingOut = 1'000'000;

actors::Ticket ticket(const WorkerId& worker, Incarnation incarnation = 1) {
  actors::Ticket made;
  made.worker = worker;
  made.incarnation = incarnation;
  made.visit = kVisit;
  return made;
}

engine::Grant grant(const WorkerId& worker, std::uint32_t items, VisitId visit = kVisit) {
  engine::Grant made;
  made.visit = visit;
  made.worker = worker;
  made.incarnation = 1;
  for (std::uint32_t item = 0; item < items; ++item) made.open.insert(item);
  return made;
}

constexpr auto kAny = [](const actors::Ticket&) { return true; };

struct Book {
  Settings settings;
  TicketBook book{settings};
  TicketBook::Grants grants;

  /// A grant that went out at that time.
  void give(GrantId id, const WorkerId& worker, std::uint32_t items, UnixMillis sent = kSettingOut) {
    book.add(ticket(worker), sent);
    book.lend(id, *book.take_free(kAny));
    grants[id] = grant(worker, items);
    static_cast<void>(book.send(id, sent));
  }
};

TEST_CASE("tickets are asked for once, until twice as many are of use") {
  Book b;
  CHECK(b.book.ask(kVisit, 0) == 0);
  CHECK(b.book.ask(kVisit, 3) == 3);
  CHECK(b.book.ask(kVisit, 6) == 0);
  CHECK(b.book.ask(kVisit, 7) == 7);
  CHECK(b.book.ask(kVisit, 1000) == 64);
  SECTION("one that comes is not on its way any more") {
    for (int come = 0; come < 64; ++come) b.book.add(ticket(kQuick), kSettingOut);
    CHECK(b.book.ask(kVisit, 1) == 1);
  }
}

TEST_CASE("the newest free ticket that fits is taken") {
  Book b;
  b.book.add(ticket(kSlow), kSettingOut);
  b.book.add(ticket(kQuick), kSettingOut);
  b.book.add(ticket(kQuick, 2), kSettingOut);
  CHECK(b.book.take_free([](const auto& one) { return one.worker == kQuick; })->ticket.incarnation == 2);
  CHECK(b.book.take_free(kAny)->ticket.worker == kQuick);
  CHECK_FALSE(b.book.take_free([](const auto& one) { return one.worker == kQuick; }).has_value());
  CHECK(b.book.return_free().size() == 1);
  CHECK(b.book.empty());
}

TEST_CASE("a grant that is done leaves its ticket to the next one for a while") {
  Book b;
  b.give(1, kQuick, 1);
  CHECK_FALSE(b.book.empty());
  SECTION("it is free again") {
    CHECK_FALSE(b.book.finish(1, kSettingOut + b.settings.ticket_kept_ms).has_value());
    CHECK(b.book.take_free(kAny)->since == kSettingOut);
  }
  SECTION("others have a turn when the chain has had it for long") {
    CHECK(b.book.finish(1, kSettingOut + b.settings.ticket_kept_ms + 1)->worker == kQuick);
    CHECK(b.book.empty());
  }
  SECTION("or when the worker gave work back") {
    b.book.spend(1);
    CHECK(b.book.finish(1, kSettingOut).has_value());
  }
  SECTION("a grant without a ticket leaves none") {
    CHECK_FALSE(b.book.finish(2, kSettingOut).has_value());
    CHECK(b.book.return_free().empty());
  }
}

TEST_CASE("only what never left for a worker that is gone can be returned") {
  Book b;
  b.give(1, kQuick, 1);
  b.book.add(ticket(kQuick), kSettingOut);
  b.book.lend(2, *b.book.take_free(kAny));       // waits for its record
  b.book.claim(3, ticket(kQuick), kSettingOut);  // may have gone out before this start
  b.book.add(ticket(kSlow), kSettingOut);
  CHECK(b.book.unsent(kQuick, 1) == std::vector<GrantId>{2});
  CHECK(b.book.unsent(kQuick, 2).empty());
  b.book.drop(kQuick, 1);
  CHECK(b.book.send(1, kSettingOut) == nullptr);
  CHECK(b.book.return_free().size() == 1);
  CHECK(b.book.empty());
}

TEST_CASE("orders are as large as keeps a slot busy, by the pace at that worker") {
  Book b;
  constexpr std::size_t kMany = 1'000'000;
  CHECK(b.book.order_items(kVisit, kMany) == 4);  // nothing is known
  b.book.learn(kVisit, kQuick, 10, 1000, 0);      // 100 us an item, of 20 ms
  CHECK(b.book.order_items(kVisit, kMany, &kQuick) == 200);
  CHECK(b.book.order_items(kVisit, kMany, &kSlow) == 64);  // it has said nothing
  b.book.learn(kVisit, kSlow, 1, 10'000'000, 0);
  CHECK(b.book.order_items(kVisit, kMany, &kSlow) == 1);
  CHECK(b.book.order_items(kVisit, kMany, &kQuick) == 200);
  SECTION("at most so many") {
    b.book.forget_pace(kVisit);
    b.book.learn(kVisit, kQuick, 1000, 1, 0);
    CHECK(b.book.order_items(kVisit, kMany, &kQuick) == b.settings.order_items_max);
  }
  SECTION("at most so many bytes, unless one item has more") {
    b.book.learn(kVisit, kQuick, 0, 0, b.settings.order_bytes_max / 10);
    CHECK(b.book.order_items(kVisit, kMany, &kQuick) == 10);
    b.book.forget_pace(kVisit);
    b.book.learn(kVisit, kQuick, 10, 1000, 10 * b.settings.order_bytes_max);
    CHECK(b.book.order_items(kVisit, kMany, &kQuick) == 1);
  }
  SECTION("towards the end fewer, so that all slots end together") {
    CHECK(b.book.order_items(kVisit, 80, &kQuick) == 10);
    CHECK(b.book.order_items(kVisit, 3, &kQuick) == 1);
    for (GrantId id = 1; id <= 20; ++id) b.give(id, kQuick, 1);
    CHECK(b.book.order_items(kVisit, 80, &kQuick) == 4);
  }
}

TEST_CASE("all looks at the last orders of a chain have one timer, unless one is to be taken earlier") {
  Book b;
  const VisitId second{1, 1}, third{2, 1};
  CHECK(b.book.watch(kVisit, 160));
  CHECK_FALSE(b.book.watch(kVisit, 150));  // it is watched already
  CHECK_FALSE(b.book.watch(second, 170));
  CHECK(b.book.watch(third, 140));
  CHECK(b.book.looks_due(160).empty());  // that timer has been replaced
  CHECK(b.book.looks_due(140) == std::vector{third});
  SECTION("the next is set for what is due next") {
    CHECK(b.book.next_look() == 160);
    CHECK_FALSE(b.book.next_look());
    CHECK(b.book.looks_due(160) == std::vector{kVisit});
    CHECK(b.book.next_look() == 170);
  }
  SECTION("also where a look sets a later one") {
    CHECK(b.book.watch(third, 200));
    CHECK(b.book.next_look() == 160);
  }
  SECTION("what has settled is not looked at") {
    b.book.unwatch(kVisit);
    b.book.unwatch(second);
    CHECK_FALSE(b.book.next_look());
  }
}

TEST_CASE("at the tail the order that takes longest is looked at, once it has been out for long") {
  Book b;
  const auto age = b.book.tail_age_ms();
  CHECK(b.book.look(kVisit, b.grants, kSettingOut).again_ms == 0);
  b.give(1, kQuick, 8, kSettingOut);
  b.give(2, kSlow, 2, kSettingOut + 10);
  b.book.learn(kVisit, kQuick, 1, 1000, 0);
  b.book.learn(kVisit, kSlow, 1, 100'000, 0);
  const auto early = b.book.look(kVisit, b.grants, kSettingOut + 20);
  CHECK_FALSE(early.worst.has_value());
  CHECK(early.again_ms == age - 20);
  CHECK(b.book.look(kVisit, b.grants, kSettingOut + age).worst == kQuick);  // the other is young
  CHECK(b.book.look(kVisit, b.grants, kSettingOut + age + 10).worst == kSlow);
  SECTION("who has said nothing is the slowest") {
    const WorkerId silent{"silent"};
    b.give(3, silent, 1, kSettingOut);
    CHECK(b.book.look(kVisit, b.grants, kSettingOut + age + 10).worst == silent);
  }
  SECTION("orders of others are none of it") { CHECK_FALSE(b.book.look(VisitId{1, 1}, b.grants, kSettingOut + age + 10).worst.has_value()); }
  SECTION("help is asked for once") {
    CHECK(b.book.helped(kVisit) == kSlow);
    CHECK_FALSE(b.book.helped(kVisit).has_value());
  }
}

TEST_CASE("as much is asked back as others have idle slots for, the newest first, each order once") {
  Book b;
  const auto late = kSettingOut + b.book.tail_age_ms();
  for (GrantId id = 1; id <= 4; ++id) b.give(id, kSlow, 3);
  b.give(5, kSlow, 3, kSettingOut + 1);  // too young
  b.give(6, kQuick, 3);
  CHECK(b.book.recall(kVisit, kSlow, b.grants, 3, late) == std::vector<GrantId>{4, 3});
  CHECK(b.book.recall(kVisit, kSlow, b.grants, 1, late) == std::vector<GrantId>{2});
  CHECK(b.book.recall(kVisit, kSlow, b.grants, 10, late) == std::vector<GrantId>{1});
  CHECK(b.book.recall(kVisit, kSlow, b.grants, 10, late).empty());
  SECTION("a number that is used again is another order") {
    b.grants.clear();
    b.book.forget_ended(b.grants);
    b.book.drop(kSlow, 1);
    b.give(1, kSlow, 3);
    CHECK(b.book.recall(kVisit, kSlow, b.grants, 10, late) == std::vector<GrantId>{1});
  }
}

}  // namespace
}  // namespace catena::coordinator
