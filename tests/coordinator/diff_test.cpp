// How two chains differ, from what a store has of them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "coordinator/inspect/inspector.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

/// A list of six numbers, each of which may fail, and a step that takes what came of them.
std::string six_and_total() {
  return composite({step("six", each(numbers(6), R"("tolerated_failures": 6, "on_item_failure": "null")")),
                    step("total", R"("arguments": {"all": "REF:six.response"})")});
}

/// The items of `failing` fail, of the others those of `other` answer another thing.
void answer_items(Fixture& f, const std::set<std::uint32_t>& failing, const std::set<std::uint32_t>& other = {}) {
  f.script.otherwise = [=](const actors::Attempted& attempt) {
    if (!Json::parse(attempt.arguments).contains("i")) return answer(R"({"total": 1})");
    if (failing.contains(attempt.item)) return failure(Code::tool_failed);
    return answer(other.contains(attempt.item) ? R"({"n": -1})" : R"({"n": 1})");
  };
}

ChainDiff diff_of(const Fixture& f, const std::string& chain, const std::string& other) {
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  auto told = inspector.answer(DiffChains{.chain = ChainId{chain}, .other = ChainId{other}});
  REQUIRE(told.has_value());
  return *told;
}

}  // namespace

TEST_CASE("a diff of two chains that did the same has nothing but their ids and times") {
  Fixture f;
  answer_items(f, {3});
  const auto package = pin(six_and_total());
  f.complete(package, "a", R"({"x": 1})");
  f.complete(package, "b", R"({"x": 1})");
  const auto diff = diff_of(f, "a", "b");
  CHECK(diff.first.id == ChainId{"a"});
  CHECK(diff.second.status == engine::ChainStatus::succeeded);
  CHECK(diff.definitions.empty());
  CHECK(diff.arguments.same);
  CHECK(diff.response.same);
  REQUIRE(diff.steps.size() == 2);
  for (const auto& one : diff.steps) CHECK_FALSE(one.differs);
  CHECK(diff.steps[0].responses_compared == 5);
  CHECK(diff.next == 0);
}

TEST_CASE("a diff names the items that failed in one chain alone, and those that answered something else") {
  Fixture f;
  const auto package = pin(six_and_total());
  answer_items(f, {1, 3});
  f.complete(package, "a", R"({"x": 1})");
  answer_items(f, {3, 5}, {0, 2});
  f.complete(package, "b", R"({"x": 2, "y": true})");
  const auto diff = diff_of(f, "a", "b");
  REQUIRE(diff.arguments.how.changes.size() == 2);
  CHECK(diff.arguments.how.changes[0].path == "/x");
  CHECK(diff.arguments.how.changes[1].second == "true");
  const auto& six = diff.steps.at(0);
  CHECK(six.differs);
  CHECK(to_text(six.failed_in_first) == "1");
  CHECK(to_text(six.failed_in_second) == "5");
  CHECK(six.failed_in_first_count == 1);
  CHECK(to_text(six.responses_differ) == "0,2");
  CHECK(six.responses_compared == 3);
  CHECK_FALSE(diff.steps.at(1).differs);
}

TEST_CASE("a diff of chains of two versions of a definition tells what was changed, and has the steps of both") {
  Fixture f;
  answer_items(f, {});
  f.complete(pin(composite({step("one"), step("two")})), "a");
  f.complete(pin(composite({step("one", R"("arguments": {"k": 1})"), step("three")})), "b");
  const auto diff = diff_of(f, "a", "b");
  REQUIRE(diff.definitions.size() == 1);
  CHECK(diff.definitions[0].in_first);
  CHECK(diff.definitions[0].in_second);
  const auto& changes = diff.definitions[0].text.how.changes;
  CHECK(std::ranges::find(changes, "/instructions/1/execution_id", &JsonChange::path) != changes.end());
  REQUIRE(diff.steps.size() == 3);
  CHECK(diff.steps[0].id == "one");
  CHECK(diff.steps[1].id == "two");
  CHECK_FALSE(diff.steps[1].second.has_value());
  CHECK(diff.steps[2].id == "three");
  CHECK_FALSE(diff.steps[2].first.has_value());
}

TEST_CASE("a diff needs two chains") {
  Fixture f;
  answer_items(f, {});
  f.complete(pin(composite({step("one")})), "a");
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  CHECK(inspector.answer(DiffChains{.chain = ChainId{"a"}, .other = ChainId{"aa"}}).error().code == Code::chain_not_found);
  CHECK(inspector.answer(DiffChains{.chain = ChainId{"aa"}, .other = ChainId{"a"}}).error().code == Code::chain_not_found);
}

}  // namespace catena::coordinator::test
