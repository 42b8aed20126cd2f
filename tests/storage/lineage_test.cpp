// What a store thinks of what others remember of it.
#include "storage/lineage.hpp"

#include <catch2/catch.hpp>

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"

namespace catena::storage::test {
namespace {

using Memory = Lineage::Memory;

void write_something(Kv& kv) {
  Batch batch;
  batch.put(keys::meta("something"), "x");
  REQUIRE(kv.write(batch, Durability::sync));
}

TEST_CASE("each life ends where the next begins, and the last goes on") {
  const Lineage lineage{{{"one", 10, false}, {"two", 20, false}}};
  CHECK(lineage.word() == "two");
  CHECK(lineage.memory_of("one", 20, 35) == Memory::ours);
  CHECK(lineage.memory_of("one", 21, 35) == Memory::lost);
  CHECK(lineage.memory_of("two", 35, 35) == Memory::ours);
  CHECK(lineage.memory_of("two", 36, 35) == Memory::lost);
  CHECK(lineage.memory_of("three", 1, 35) == Memory::lost);
  CHECK(Lineage{{}}.word().empty());
}

TEST_CASE("a loss that a person accepted later is known") {
  const Lineage lineage{{{"one", 10, false}, {"two", 20, true}, {"three", 30, false}}};
  CHECK(lineage.memory_of("one", 25, 35) == Memory::lost_knowingly);
  CHECK(lineage.memory_of("another", 1, 35) == Memory::lost_knowingly);
  CHECK(lineage.memory_of("two", 31, 35) == Memory::lost);
}

TEST_CASE("a loss that was accepted once covers no life that began later and was lost since") {
  const Lineage lineage{{{life_word(1000, "one"), 10, false}, {life_word(2000, "two"), 20, true}, {life_word(4000, "three"), 30, false}}};
  CHECK(lineage.memory_of(life_word(1500, "a"), 1, 35) == Memory::lost_knowingly);
  CHECK(lineage.memory_of(life_word(3000, "b"), 1, 35) == Memory::lost);
  CHECK(lineage.memory_of(life_word(1000, "one"), 25, 35) == Memory::lost_knowingly);
  CHECK(lineage.memory_of("of an older build", 1, 35) == Memory::lost_knowingly);
}

TEST_CASE("lives are kept with the store, each with the commit at which it began") {
  MemoryKv kv;
  const auto first = begin_life(kv, {"one", "secret"});
  REQUIRE(first);
  write_something(kv);
  const auto told = kv.durable_commit();
  kv.crash();
  const auto second = begin_life(kv, {"two", "secret"});
  REQUIRE(second);
  CHECK(second->word() == "two");
  CHECK(second->memory_of("one", told, kv.durable_commit()) == Memory::ours);
  CHECK(second->memory_of("one", kv.durable_commit(), kv.durable_commit()) == Memory::lost);
}

TEST_CASE("a store that was put back does not know what came after its copy was made") {
  MemoryKv kv;
  REQUIRE(begin_life(kv, {"one", "secret"}));
  write_something(kv);
  const auto copy = kv.snapshot();
  write_something(kv);
  write_something(kv);
  const auto told_in_one = kv.durable_commit();
  REQUIRE(begin_life(kv, {"two", "secret"}));
  const auto told_in_two = kv.durable_commit();
  kv.restore(copy);
  kv.reopen();
  const auto lineage = begin_life(kv, {"three", "secret"});
  REQUIRE(lineage);
  for (int times = 0; times < 100; ++times) write_something(kv);  // its numbers catch up with the lost ones
  CHECK(lineage->memory_of("one", told_in_one, kv.durable_commit()) == Memory::lost);
  CHECK(lineage->memory_of("two", told_in_two, kv.durable_commit()) == Memory::lost);
  CHECK(lineage->memory_of("three", kv.durable_commit(), kv.durable_commit()) == Memory::ours);
}

TEST_CASE("the secret of a store is made once, stays through its lives, and is that of every copy of it") {
  MemoryKv kv;
  const auto first = begin_life(kv, {"one", "made at first"});
  REQUIRE(first);
  const auto proof = first->proof("w1", 7);
  CHECK(proof.size() == kCommitProofBytes);
  const auto copy = kv.snapshot();
  kv.reopen();
  const auto second = begin_life(kv, {"two", "drawn for nothing"});
  REQUIRE(second);
  CHECK(second->proves(proof, "w1", "one", 7));
  kv.restore(copy);
  kv.reopen();
  const auto put_back = begin_life(kv, {"three", "drawn for nothing"});
  REQUIRE(put_back);
  CHECK(put_back->proves(proof, "w1", "one", 7));
  CHECK(put_back->proves(second->proof("w1", 9), "w1", "two", 9));
  MemoryKv another;
  CHECK_FALSE(begin_life(another, {"one", "another store's"})->proves(proof, "w1", "one", 7));
}

TEST_CASE("the oldest lives are forgotten, which makes what is remembered of them a loss and never a match") {
  MemoryKv kv;
  REQUIRE(begin_life(kv, {"first", "secret"}));
  for (int life = 0; life < 1100; ++life) REQUIRE(begin_life(kv, {std::to_string(life), "secret"}));
  const auto lineage = begin_life(kv, {"last", "secret"});
  REQUIRE(lineage);
  CHECK(lineage->memory_of("first", 1, kv.durable_commit()) == Memory::lost);
  CHECK(lineage->memory_of("1099", 1, kv.durable_commit()) == Memory::ours);
}

}  // namespace
}  // namespace catena::storage::test
