#include "storage/submission_keys.hpp"

#include "storage/keys.hpp"
#include "storage/memory_kv.hpp"
#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

KeyedSubmission submitted(const std::string& chain, UnixMillis at, UnixMillis expires_at) {
  return {{chain}, at, at, expires_at, {{"arguments", "digest"}}};
}

void store_key(Kv& kv, const std::string& key, const KeyedSubmission& submission) {
  Batch batch;
  put_submission(batch, key, submission);
  must(kv.write(batch, Durability::sync));
}

/// When the next expires.
std::optional<UnixMillis> expire(Kv& kv, UnixMillis by, std::size_t most, const std::string& in_use = "") {
  Batch batch;
  const auto next = must(remove_expired_submissions(kv, batch, by, most, [&](const std::string& key) { return key == in_use; }));
  must(kv.write(batch, Durability::sync));
  return next;
}

}  // namespace

TEST_CASE("what was submitted under a key comes back as it was put, and keys that begin alike are apart", "[submission]") {
  MemoryKv kv;
  store_key(kv, "k", submitted("a", 5, 10));
  store_key(kv, "kk", submitted("b", 6, 11));
  CHECK(must(load_submission(kv, "k")) == submitted("a", 5, 10));
  CHECK(must(load_submission(kv, "kk")) == submitted("b", 6, 11));
  CHECK_FALSE(must(load_submission(kv, "")));
  CHECK_FALSE(must(load_submission(kv, "kkk")));
}

TEST_CASE("keys that have expired go in the order of their ends, so many at a time", "[submission]") {
  MemoryKv kv;
  for (int at = 0; at < 10; ++at) store_key(kv, "key" + std::to_string(at), submitted("c", at, 100 - at));
  CHECK(expire(kv, 90, 10) == 91);
  CHECK(expire(kv, 95, 3) == 94);
  CHECK_FALSE(must(load_submission(kv, "key9")));
  CHECK_FALSE(must(load_submission(kv, "key7")));
  CHECK(must(load_submission(kv, "key6")));
  CHECK(expire(kv, 200, 100) == std::nullopt);
  CHECK(must(load_submission(kv, "key0")) == std::nullopt);
  CHECK(entries(kv, "s", "t").empty());
}

TEST_CASE("a key that was used again, or is about to be, does not go with its earlier end", "[submission]") {
  MemoryKv kv;
  store_key(kv, "again", submitted("a", 1, 10));
  store_key(kv, "again", submitted("b", 20, 30));
  store_key(kv, "soon", submitted("c", 1, 10));
  CHECK(expire(kv, 20, 10, "soon") == 10);
  CHECK(must(load_submission(kv, "again"))->chain == ChainId{"b"});
  CHECK(must(load_submission(kv, "soon"))->chain == ChainId{"c"});
  CHECK(expire(kv, 30, 10) == std::nullopt);
  CHECK(entries(kv, "s", "t").empty());
}

TEST_CASE("times before 1970 come first among the ends of keys", "[submission]") {
  CHECK(keys::submission_end(-5, "a") < keys::submission_end(-4, "a"));
  CHECK(keys::submission_end(-1, "a") < keys::submission_end(0, "a"));
  CHECK(keys::time_of_submission_end(keys::submission_end(-5, "a")) == -5);
  CHECK(keys::key_of_submission_end(keys::submission_end(7, "abc")) == "abc");
}

}  // namespace catena::storage::test
