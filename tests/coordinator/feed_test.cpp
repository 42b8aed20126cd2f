// The feed: what became of chains, in the order in which it was written.
#include "coordinator/feed.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using storage::NoticeKind;

FeedPage read_feed(const Fixture& f, const ReadFeed& ask) {
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  auto page = inspector.answer(ask);
  REQUIRE(page);
  return std::move(*page);
}

/// "chain kind step status", a line each.
Words words_of(const FeedPage& page) {
  Words words;
  for (const auto& [number, notice] : page.rows) {
    auto word = notice.chain.value + ' ' + std::string{name(notice.kind)};
    if (!notice.step.empty()) word += ' ' + notice.step;
    words.push_back(word + ' ' + notice.status);
  }
  return words;
}

/// As a reader that goes on from page to page.
std::vector<FeedRow> read_all(const Fixture& f, std::uint64_t first = 0, std::uint32_t limit = 0) {
  std::vector<FeedRow> rows;
  for (ReadFeed ask{.first = first, .limit = limit};;) {
    auto page = read_feed(f, ask);
    rows.insert(rows.end(), page.rows.begin(), page.rows.end());
    ask.first = page.next;
    if (!page.more) return rows;
  }
}

const Settings kFed{.feed_keep = 100'000};

}  // namespace

TEST_CASE("the feed knows the namespace of each chain, and tells of one alone where it is asked to") {
  Fixture f{{.settings = kFed}};
  const auto definition = pin(composite({step("a")}, R"("name": "orders")"));
  for (const std::string id : {"one", "two", "bare"}) {
    actors::Submission submission;
    submission.chain = ChainId{id};
    submission.package = definition;
    submission.definition = definition->root;
    submission.arguments = engine::inline_payload("{}");
    if (id != "bare") submission.labels = {{std::string{kNamespaceLabel}, id}};
    f.tell(std::move(submission));
    f.await(id);
    f.finish(id);
  }
  const auto of_one = read_feed(f, {.namespace_ = "one"});
  CHECK(words_of(of_one) == Words{"one started running", "one step_began a running", "one step_settled a completed", "one ended succeeded"});
  CHECK(std::ranges::all_of(of_one.rows, [](const FeedRow& row) { return row.notice.namespace_ == "one"; }));
  CHECK(read_feed(f, {.namespace_ = "three"}).rows.empty());
  CHECK(read_feed(f, {.namespace_ = "three"}).next == read_feed(f, {}).next);
  CHECK(read_all(f).size() == 3 * of_one.rows.size());
}

TEST_CASE("the feed tells what becomes of chains and of their steps, in order") {
  Fixture f{{.settings = kFed}};
  f.script.on("c/b", failure(Code::tool_failed));
  f.complete(pin(composite({step("a"), step("b", R"("dependencies": ["a"])"), step("x", R"("dependencies": ["b"])")}, R"("name": "orders")")));
  const auto page = read_feed(f, {});
  CHECK(words_of(page) == Words{"c started running", "c step_began a running", "c step_settled a completed", "c step_began b running",
                                "c step_settled b failed", "c ended failed"});
  CHECK(page.rows.back().notice.code == "tool_failed");
  CHECK_FALSE(page.rows.back().notice.message.empty());
  CHECK(page.rows.back().notice.definition == "orders");
  CHECK_FALSE(page.lost);
  CHECK_FALSE(page.more);
  for (std::size_t row = 1; row < page.rows.size(); ++row) CHECK(page.rows[row - 1].number < page.rows[row].number);

  f.forget();
  f.script.on("c/b", answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  f.finish();
  CHECK(words_of(read_feed(f, {.first = page.next})) ==
        Words{"c retried running", "c step_settled b completed", "c step_began x running", "c step_settled x completed", "c ended succeeded"});
}

TEST_CASE("of child chains the feed tells begin and end, and of items nothing") {
  Fixture f{{.settings = kFed}};
  f.complete(pin(composite({step("sub", over(2), "/inner.tool")}), {{"/inner.tool", composite({step("one", over(5))})}}));
  const auto all = words_of(read_feed(f, {}));
  CHECK(all.size() == 8);
  CHECK(words_of(read_feed(f, {.only_submitted = true})) ==
        Words{"c started running", "c step_began sub running", "c step_settled sub completed", "c ended succeeded"});
  CHECK(words_of(read_feed(f, {.family = ChainId{"c/sub/1"}})) == Words{"c/sub/1 started running", "c/sub/1 ended succeeded"});
  CHECK(read_feed(f, {.kinds = {NoticeKind::ended}}).rows.size() == 3);
}

TEST_CASE("the feed is read in pages, from any number on, and from now on") {
  Fixture f{{.settings = kFed}};
  f.complete(pin(composite({step("a"), step("b"), step("x")})));
  const auto all = read_all(f);
  const auto paged = read_all(f, 0, 3);
  REQUIRE(all.size() == paged.size());
  for (std::size_t row = 0; row < all.size(); ++row) CHECK(all[row].number == paged[row].number);
  CHECK(read_all(f, all[2].number).size() == all.size() - 2);
  const auto now = read_feed(f, {.from_now = true});
  CHECK(now.rows.empty());
  CHECK(now.next == all.back().number + 1);
  f.forget();
  f.complete(pin(composite({step("a")})), "d");
  const auto later = read_all(f, now.next);
  REQUIRE_FALSE(later.empty());
  CHECK(later.front().notice.chain.value == "d");
}

TEST_CASE("whoever follows the feed hears that it has grown, and can read that then") {
  Fixture f{{.settings = kFed}};
  std::vector<std::uint64_t> ends;
  const auto follower =
      f.system.spawn([&](caf::event_based_actor*) -> caf::behavior { return {[&](const actors::FeedGrew& grew) { ends.push_back(grew.end); }}; });
  caf::send_as(follower, f.services()->journal, actors::FollowFeed{});
  f.complete(pin(composite({step("a")})));
  f.run();
  REQUIRE(ends.size() >= 2);
  CHECK(std::ranges::is_sorted(ends));
  CHECK(ends.back() == read_feed(f, {.from_now = true}).next);
  caf::anon_send_exit(follower, caf::exit_reason::user_shutdown);
  f.run();
}

TEST_CASE("whoever follows a chain hears that its history has grown, can read that then, and hears nothing of others") {
  Fixture f;
  std::vector<std::pair<std::string, Sequence>> grown;
  const auto last_event = [&](const ChainId& chain) {
    Inspector inspector{f.kv, kCatalog, *f.services()->clock};
    const auto known = inspector.answer(DescribeChain{.chain = chain});
    return known ? known->last_event : Sequence{0};
  };
  const auto follower = f.system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {[&](const actors::ChainGrew& grew) { grown.emplace_back(grew.chain.value, last_event(grew.chain)); }};
  });
  caf::send_as(follower, f.services()->journal, actors::FollowChain{ChainId{"c"}});
  caf::send_as(follower, f.services()->journal, actors::FollowChain{ChainId{"c/a"}});
  f.run();
  CHECK(grown == decltype(grown){{"c", 0}, {"c/a", 0}});
  f.complete(pin(composite({step("a")})));
  f.run();
  REQUIRE(grown.size() >= 3);
  CHECK(std::ranges::count(grown, std::string{"c/a"}, &std::pair<std::string, Sequence>::first) == 1);
  CHECK(grown.back() == std::pair{std::string{"c"}, last_event(ChainId{"c"})});
  caf::send_as(follower, f.services()->journal, actors::StopFollowingChain{ChainId{"c"}});
  const auto before = grown.size();
  f.run();
  CHECK(grown.size() == before);
  caf::anon_send_exit(follower, caf::exit_reason::user_shutdown);
  f.run();
}

TEST_CASE("numbers of the feed grow over starts, and nothing that was durable is missing from it") {
  for (std::size_t messages = 4;; messages += 5) {
    CAPTURE(messages);
    Fixture f{{.settings = kFed}};
    f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
    f.run_messages(messages);
    if (f.has_ended()) break;
    const auto before = read_all(f);
    f.crash();
    if (!f.exists()) continue;
    if (!engine::terminal(f.state().status)) {
      f.resume();
      f.await();
      f.finish();
    }
    const auto after = read_all(f);
    std::set<std::uint64_t> numbers;
    std::size_t ends = 0, begins = 0;
    for (const auto& [number, notice] : after) {
      CHECK(numbers.insert(number).second);
      ends += notice.kind == NoticeKind::ended ? 1 : 0;
      begins += notice.kind == NoticeKind::started ? 1 : 0;
    }
    CHECK(begins == 1);
    CHECK(ends == 1);
    // What a reader had seen stands where it stood, or is gone with what it told of.
    for (std::size_t row = 0; row < before.size() && row < after.size(); ++row) {
      if (after[row].number == before[row].number) CHECK(after[row].notice == before[row].notice);
    }
  }
}

TEST_CASE("where no feed is kept, nothing is written for it") {
  Fixture f;
  f.complete(pin(composite({step("a")})));
  CHECK(read_feed(f, {}).rows.empty());
}

TEST_CASE("of the feed so many notices are kept at least, and no more than two strides beyond") {
  FeedNumbers numbers{3000};
  std::set<std::uint64_t> kept;
  for (int n = 0; n < 20'000; ++n) {
    kept.insert(numbers.take());
    while (const auto old = numbers.too_old()) kept.erase(kept.lower_bound(old->first), kept.lower_bound(old->second));
    if (n >= 3000) {
      CHECK(kept.size() >= 3000);
      CHECK(kept.size() <= 3000 + 2 * 1024);
    }
  }
  CHECK(*kept.rbegin() + 1 == numbers.end());

  // Another start counts what it finds.
  FeedNumbers later{3000};
  for (const auto number : kept) later.add_stored(number);
  later.begin(1);
  const auto next = later.take();
  CHECK(next > *kept.rbegin());
  kept.insert(next);
  while (const auto old = later.too_old()) kept.erase(kept.lower_bound(old->first), kept.lower_bound(old->second));
  CHECK(kept.size() >= 3000);
}

TEST_CASE("numbers of the feed are not used again, however much of it was lost") {
  FeedNumbers first{3000};
  first.begin(7);
  std::uint64_t seen = 0;
  for (int n = 0; n < 100'000; ++n) seen = first.take();
  FeedNumbers second{3000};  // nothing of all that was stored
  second.begin(8);
  CHECK(second.take() > seen);
}

TEST_CASE("a reader that was away for too long hears that something is missing") {
  Fixture f{{.settings = kFed}};
  f.complete(pin(composite({step("a")})));
  const auto all = read_all(f);
  storage::Batch batch;
  storage::remove_notices(batch, 0, all[2].number);
  REQUIRE(f.kv.write(batch, storage::Durability::sync));
  CHECK(read_feed(f, {.first = all[1].number}).lost);
  CHECK(read_feed(f, {.first = all[1].number}).rows.front().number == all[2].number);
  CHECK_FALSE(read_feed(f, {}).lost);
  CHECK_FALSE(read_feed(f, {.first = all[2].number}).lost);
}

}  // namespace catena::coordinator::test
