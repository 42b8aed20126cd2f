#include "storage/keys.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

const std::vector<ChainId> kChains{{"a"}, {"a/b"}, {"a/b/0"}, {"a/b/1"}, {"ab"}, {"b"}, {"\x01"}, {"a\xff"}, {"ä"}, {std::string(1024, 'z')}};

bool ascending(const std::vector<std::string>& keys) { return std::is_sorted(keys.begin(), keys.end(), std::less_equal<>{}); }

}  // namespace

TEST_CASE("numbers in keys are in the order of the numbers", "[keys]") {
  const ChainId chain{"chain"};
  std::vector<std::string> events;
  for (const Sequence n : {0UL, 1UL, 2UL, 255UL, 256UL, 65'535UL, 65'536UL, 1UL << 32U, ~0UL}) events.push_back(keys::event(chain, n));
  CHECK(ascending(events));

  std::vector<std::string> items;
  for (const std::uint32_t step : {0U, 1U, 256U, ~0U}) {
    for (const std::uint32_t visit : {1U, 255U, 256U}) {
      for (const std::uint32_t item : {0U, 9U, 10U, 255U, 256U, ~0U}) items.push_back(keys::item(chain, {step, visit}, item));
    }
  }
  CHECK(ascending(items));
}

TEST_CASE("the index is newest first, also before 1970", "[keys]") {
  std::vector<std::string> entries;
  for (const UnixMillis at : {std::numeric_limits<UnixMillis>::max(), UnixMillis{1'700'000'000'000}, UnixMillis{1}, UnixMillis{0}, UnixMillis{-1},
                              std::numeric_limits<UnixMillis>::min()}) {
    entries.push_back(keys::index("running", at, {"chain"}));
  }
  CHECK(ascending(entries));
}

TEST_CASE("no key is a prefix of another", "[keys]") {
  std::vector<std::string> all{keys::meta("format")};
  for (const auto& chain : kChains) {
    all.push_back(keys::summary(chain));
    all.push_back(keys::checkpoint(chain));
    all.push_back(keys::event(chain, 0));
    all.push_back(keys::event(chain, 0x2f62'0000'0000'0000));  // looks like "/b"
    all.push_back(keys::item(chain, {0, 1}, 0));
    all.push_back(keys::inputs(chain, {0, 1}, 0));
  }
  for (const auto& a : all) {
    for (const auto& b : all) {
      if (&a != &b) CHECK_FALSE(b.starts_with(a));
    }
  }
}

TEST_CASE("a range holds the keys of its chain and of no other", "[keys]") {
  for (const auto& mine : kChains) {
    const auto events = keys::events(mine, 0);
    const auto items = keys::items(mine, {1, 1}, 0, 10);
    for (const auto& other : kChains) {
      for (const Sequence n : {Sequence{0}, Sequence{~std::uint64_t{0}}}) {
        const auto key = keys::event(other, n);
        CHECK((key >= events.from && key < events.to) == (mine == other));
      }
      const auto key = keys::item(other, {1, 1}, 5);
      CHECK((key >= items.from && key < items.to) == (mine == other));
    }
    CHECK(keys::item(mine, {1, 1}, 10) >= items.to);
    CHECK(keys::item(mine, {1, 2}, 0) >= items.to);
    CHECK(keys::item(mine, {0, 9}, 5) < items.from);
  }
}

TEST_CASE("a status has its own range of the index", "[keys]") {
  const auto range = keys::index_of("run");
  CHECK(keys::index("run", 0, {"a"}) >= range.from);
  CHECK(keys::index("run", std::numeric_limits<UnixMillis>::min(), {"\xff"}) < range.to);
  CHECK(keys::index("running", 0, {"a"}) >= range.to);
  CHECK(keys::index("", 0, {"a"}) < range.from);
}

TEST_CASE("keys give their parts back", "[keys]") {
  for (const auto& chain : kChains) {
    CHECK(keys::sequence_of(keys::event(chain, 77)) == 77);
    CHECK(keys::item_of(keys::item(chain, {3, 4}, 5)) == 5);
    CHECK(keys::chain_of_index(keys::index("paused", -5, chain)) == chain);
  }
  CHECK(keys::sequence_of("j") == std::nullopt);
  CHECK(keys::item_of(keys::event({"a"}, 1)) == std::nullopt);
}

TEST_CASE("an id that cannot be a key is refused", "[keys]") {
  for (const auto& chain : kChains) CHECK(check_chain_id(chain).has_value());
  CHECK(code_of(check_chain_id({""})) == Code::id_invalid);
  CHECK(code_of(check_chain_id({std::string(1025, 'z')})) == Code::id_invalid);
  CHECK(code_of(check_chain_id({std::string{"a\0b", 3}})) == Code::id_invalid);
}

TEST_CASE("the versions of a file are newest first and its own", "[keys]") {
  const std::vector<std::string> paths{"/a", "/a/b", "/ab", "/a\x01", "/b", "/\xff"};
  for (const auto& mine : paths) {
    std::vector<std::string> newest_first;
    for (const std::uint64_t version : {~0UL, 1UL << 32U, 256UL, 255UL, 2UL, 1UL}) newest_first.push_back(keys::file_version(mine, version));
    CHECK(ascending(newest_first));
    const auto range = keys::file_versions(mine);
    for (const auto& other : paths) {
      for (const std::uint64_t version : {std::uint64_t{1}, ~std::uint64_t{0}}) {
        const auto key = keys::file_version(other, version);
        CHECK((key >= range.from && key < range.to) == (mine == other));
        CHECK(keys::version_of_file(key) == version);
      }
    }
  }
  CHECK(keys::version_of_file("v/a") == std::nullopt);
}

TEST_CASE("a directory's files and what is below it have a range each", "[keys]") {
  const std::vector<std::string> directories{"/", "/a", "/a/b", "/a/b/c", "/ab", "/a.b", "/a\x01", "/A", "/\xff"};
  for (const auto& directory : directories) {
    const auto in = keys::files_in(directory);
    const auto below = keys::files_below(directory);
    for (const auto& other : directories) {
      for (const std::string name : {"f", "\xff", "\x01", "a", "b"}) {
        const auto path = (other == "/" ? "" : other) + "/" + name;
        const auto key = keys::file(path);
        CHECK(keys::path_of_file(key) == path);
        CHECK((key >= in.from && key < in.to) == (other == directory));
        const bool is_below = other != directory && (directory == "/" || other.starts_with(directory + "/"));
        CHECK((key >= below.from && key < below.to) == is_below);
      }
    }
  }
  CHECK(keys::path_of_file("f") == std::nullopt);
  CHECK(keys::path_of_file(std::string{"f/a\0", 4}) == std::nullopt);
}

}  // namespace catena::storage::test
