// Chains by the name of their definition: found as a look at all of them would find them, also in a store that an older catena had.
#include "storage/name_index.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "storage/bytes.hpp"
#include "storage/chain_summary.hpp"
#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "storage/record.hpp"
#include "tests/storage/both_stores.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

using NamedIds = std::vector<std::string>;

ChainSummary named(int number, std::string name, const std::string& status = "running") {
  ChainSummary summary;
  summary.id = ChainId{fmt::format("c{:04}", number)};
  summary.name = std::move(name);
  summary.status = status;
  summary.started_at = number;
  summary.labels = {{"team", number % 3 == 0 ? "x" : "y"}};
  return summary;
}

void store_all(Kv& kv, const std::vector<ChainSummary>& chains) {
  Batch batch;
  for (const auto& chain : chains) must(put_summary(batch, chain, {}));
  must(kv.write(batch, Durability::sync));
}

/// All pages of a list, each of which may read so many entries.
NamedIds listed_by_name(const Kv& kv, SummaryFilter filter, std::size_t entries_max = 1'000'000) {
  NamedIds ids;
  while (true) {
    filter.after = must(walk_summaries(
        kv, filter, [&](std::size_t entries) { return entries < entries_max; },
        [&](const ChainSummary& summary) { return ids.push_back(summary.id.value), true; }));
    if (!filter.after) return ids;
  }
}

/// What an older catena leaves behind when it had the store last: another epoch, chains without an entry, and entries of chains that are gone.
void have_had_by_older(MemoryKv& kv, const ChainSummary& begun, const ChainSummary& gone) {
  Batch batch;
  must(put_summary(batch, begun, {}));
  batch.remove(name_entry(begun.name, begun.started_at, begun.id));
  remove_summary(batch, gone);
  put_record(batch, name_entry(gone.name, gone.started_at, gone.id), RecordKind::index, {});
  std::string epoch;
  append_be64(epoch, kv.epoch() + 1);
  put_record(batch, keys::meta("epoch"), RecordKind::meta, epoch);
  must(kv.write(batch, Durability::sync));
}

std::size_t names_entered(const Kv& kv) {
  const auto all = keys::name_entries();
  return entries(kv, all.from, all.to).size();
}

}  // namespace

TEST_CASE("a list by name has the chains that a look at all of them finds, with other filters, in one page or in many", "[names]") {
  const auto seed = GENERATE(range(0U, 3U));
  INFO("seed " << seed);
  std::mt19937 chance{seed};
  MemoryKv kv;
  const std::vector<std::string> names{
      "nightly", "night", "team/a", "team/b", "team", "", "a[1]", std::string(300, 'n'), "n\x01", "\xff", "ünï", std::string("n\0l", 3)};
  std::vector<ChainSummary> chains;
  for (int number = 0; number < 120; ++number) {
    const auto name = chance() % 4 == 0 ? names[chance() % names.size()] : "usual";
    chains.push_back(named(number, name, chance() % 5 == 0 ? "failed" : "running"));
  }
  store_all(kv, chains);
  CHECK(names_entered(kv) == chains.size());
  const auto wanted = GENERATE(values<std::string>(
      {"nightly", "night*", "team/?", "team/*", "*", "?*", "n*", "usu[ab]l", "no*", "nobody", "a\\[1]", "a[1]", "", "u*", "\xff*"}));
  INFO(wanted);
  const auto ids_where = [&](const auto& fits) {
    NamedIds ids;
    for (auto chain = chains.rbegin(); chain != chains.rend(); ++chain) {
      const bool special = wanted.find_first_of("*?[\\") != std::string::npos;
      if ((special ? ::fnmatch(wanted.c_str(), chain->name.c_str(), 0) == 0 : wanted == chain->name) && fits(*chain)) ids.push_back(chain->id.value);
    }
    return ids;
  };
  for (const std::size_t entries_max : {std::size_t{1}, std::size_t{1'000'000}}) {
    INFO(entries_max);
    CHECK(listed_by_name(kv, {.name = wanted}, entries_max) == ids_where([](const ChainSummary&) { return true; }));
    CHECK(listed_by_name(kv, {.statuses = {"failed"}, .name = wanted}, entries_max) ==
          ids_where([](const ChainSummary& one) { return one.status == "failed"; }));
    CHECK(listed_by_name(kv, {.name = wanted, .labels = {"team=x"}, .since = 40}, entries_max) ==
          ids_where([](const ChainSummary& one) { return one.started_at % 3 == 0 && one.started_at >= 40; }));
  }
}

TEST_CASE("a chain stands under its present name and time only, and under none when it is removed", "[names]") {
  MemoryKv kv;
  auto chain = named(1, "old");
  store_all(kv, {chain, named(2, "name\xff")});
  const auto put_again = [&](const IndexedAs& old) {
    Batch batch;
    must(put_summary(batch, chain, old));
    must(kv.write(batch, Durability::sync));
  };
  chain.status = "failed";
  put_again({"running", 1, "old"});
  CHECK(listed_by_name(kv, {.name = "old"}) == NamedIds{"c0001"});
  chain.name = "new";
  put_again({"failed", 1, "old"});
  chain.started_at = 5;
  put_again({"failed", 1, "new"});
  CHECK(listed_by_name(kv, {.name = "old"}).empty());
  CHECK(listed_by_name(kv, {.name = "new"}) == NamedIds{"c0001"});
  CHECK(names_entered(kv) == 2);
  Batch batch;
  for (const auto* id : {"c0001", "c0002"}) remove_summary(batch, *must(load_summary(kv, {id})));
  must(kv.write(batch, Durability::sync));
  CHECK(names_entered(kv) == 0);
}

TEST_CASE("more names than are looked at for a pattern, or read together, are found all the same", "[names]") {
  MemoryKv kv;
  const int names = GENERATE(30, 600);
  std::vector<ChainSummary> chains;
  for (int number = 0; number < names; ++number) chains.push_back(named(number, fmt::format("name-{}", number)));
  store_all(kv, chains);
  CHECK(listed_by_name(kv, {.name = "name-*"}).size() == chains.size());
  CHECK(listed_by_name(kv, {.name = "*-7"}) == NamedIds{"c0007"});
  CHECK(listed_by_name(kv, {.name = "name-7"}) == NamedIds{"c0007"});
}

TEST_CASE("a store that an older catena had lists by name without the index, and has it whole from the next opening on", "[names]") {
  MemoryKv kv;
  std::vector<ChainSummary> chains;
  for (int number = 0; number < 12'000; ++number) chains.push_back(named(number, number % 1000 == 0 ? "rare" : "usual"));
  store_all(kv, chains);
  kv.reopen();
  CHECK(must(names_are_indexed(kv)));
  have_had_by_older(kv, named(12'000, "rare"), chains.front());
  NamedIds rare;
  for (int number = 12'000; number > 0; number -= 1000) rare.push_back(fmt::format("c{:04}", number));
  // The epoch in the store is not that of this opening; what opens it to read sees the one that is written.
  kv.reopen();
  CHECK(must(names_are_indexed(kv)));
  CHECK(listed_by_name(kv, {.name = "rare"}) == rare);
  CHECK(names_entered(kv) == chains.size());
  kv.reopen();
  CHECK(must(names_are_indexed(kv)));
  // One that never had the index.
  Batch batch;
  batch.remove(keys::meta("names_indexed"));
  const auto all = keys::name_entries();
  batch.remove_range(all.from, all.to);
  must(kv.write(batch, Durability::sync));
  CHECK_FALSE(must(names_are_indexed(kv)));
  CHECK(listed_by_name(kv, {.name = "rare"}) == rare);
  CHECK(listed_by_name(kv, {.name = "r*", .labels = {"team=x"}}).size() == 4);
  kv.reopen();
  CHECK(must(names_are_indexed(kv)));
  CHECK(listed_by_name(kv, {.name = "rare"}) == rare);
  CHECK(names_entered(kv) == chains.size());
}

TEMPLATE_TEST_CASE("the index of names is whole from the first opening on, over openings to write", "[names]", RocksStore, MemoryStore) {
  TestType store;
  CHECK(must(names_are_indexed(store.kv())));
  store_all(store.kv(), {named(1, "one"), named(2, "two")});
  store.reopen();
  CHECK(must(names_are_indexed(store.kv())));
  CHECK(names_entered(store.kv()) == 2);
  CHECK(listed_by_name(store.kv(), {.name = "t*"}) == NamedIds{"c0002"});
}

TEST_CASE("a damaged entry in the index of all does not keep a store from being opened without the index of names", "[names]") {
  MemoryKv kv;
  store_all(kv, {named(1, "one"), named(2, "two")});
  Batch batch;
  batch.remove(keys::meta("names_indexed"));
  batch.put(keys::index("", 2, {"c0002"}), "damage");
  must(kv.write(batch, Durability::sync));
  kv.reopen();
  CHECK_FALSE(must(names_are_indexed(kv)));
  CHECK(code_of(list_summaries(kv, {.name = "one"}, [](const ChainSummary&) { return true; })) == Code::storage_corrupt);
}

}  // namespace catena::storage::test
