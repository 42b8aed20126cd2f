#include "storage/anchor.hpp"

#include <fstream>

#include "tests/storage/stores.hpp"

namespace catena::storage::test {
namespace {

void damage(const std::filesystem::path& file, std::streamoff at) {
  std::fstream stream{file, std::ios::in | std::ios::out | std::ios::binary};
  stream.seekp(at);
  stream.put('!');
}

}  // namespace

TEST_CASE("an anchor remembers the last number, whichever slot it stands in", "[anchor]") {
  TempDirectory directory;
  const auto file = directory.path() / "anchor";
  CHECK(must(Anchor::read(file)) == 0);
  for (std::uint64_t number = 1; number <= 5; ++number) {
    auto anchor = must(Anchor::open(file));
    CHECK(anchor.number() == number - 1);
    must(anchor.record(number));
    CHECK(anchor.number() == number);
    CHECK(must(Anchor::read(file)) == number);
  }
}

TEST_CASE("a torn slot leaves the number before", "[anchor]") {
  for (const std::streamoff byte : {0, 8, 15, 19}) {
    for (const std::uint64_t last : {6U, 7U}) {
      TempDirectory directory;
      const auto file = directory.path() / "anchor";
      auto anchor = must(Anchor::open(file));
      for (std::uint64_t number = 1; number <= last; ++number) must(anchor.record(number));
      // The first record went to slot 0.
      damage(file, (last % 2 == 1 ? 0 : 4096) + byte);
      CHECK(must(Anchor::read(file)) == last - 1);
      // The next record goes to the torn slot, not over the good one.
      auto again = must(Anchor::open(file));
      CHECK(again.number() == last - 1);
      must(again.record(last + 1));
      damage(file, (last % 2 == 1 ? 0 : 4096) + byte);
      CHECK(must(Anchor::read(file)) == last - 1);
    }
  }
}

TEST_CASE("an anchor that is there and cannot be read is an error; one in which nothing was recorded is none", "[anchor]") {
  TempDirectory directory;
  const auto file = directory.path() / "anchor";
  const auto write = [&](const std::string& bytes) { std::ofstream{file, std::ios::binary} << bytes; };
  CHECK(must(Anchor::read(file)) == 0);
  for (const auto& nothing : {std::string{}, std::string(20, '\0'), std::string(5000, '\0')}) {
    write(nothing);
    CHECK(must(Anchor::read(file)) == 0);
    CHECK(must(Anchor::open(file)).number() == 0);
  }
  for (const auto& damaged : {std::string{"x"}, std::string(20, 'x'), std::string(4116, 'x')}) {
    write(damaged);
    CHECK(code_of(Anchor::read(file)) == Code::storage_corrupt);
    CHECK(code_of(Anchor::open(file)) == Code::storage_corrupt);
    auto forgotten = must(Anchor::open(file, DamagedAnchor::forget));
    CHECK(forgotten.number() == 0);
    must(forgotten.reset(9));
    CHECK(must(Anchor::read(file)) == 9);
  }
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  CHECK(code_of(Anchor::read(file)) == Code::storage_io);
  CHECK(code_of(Anchor::open(file)) == Code::storage_io);
}

TEST_CASE("both slots damaged is no torn write", "[anchor]") {
  TempDirectory directory;
  const auto file = directory.path() / "anchor";
  {
    auto anchor = must(Anchor::open(file));
    for (std::uint64_t number = 1; number <= 6; ++number) must(anchor.record(number));
  }
  damage(file, 3);
  CHECK(must(Anchor::read(file)) == 6);
  damage(file, 4096 + 3);
  CHECK(code_of(Anchor::read(file)) == Code::storage_corrupt);
}

TEST_CASE("a reset anchor forgets both slots", "[anchor]") {
  TempDirectory directory;
  const auto file = directory.path() / "anchor";
  auto anchor = must(Anchor::open(file));
  must(anchor.record(10));
  must(anchor.record(11));
  must(anchor.reset(4));
  CHECK(must(Anchor::read(file)) == 4);
  must(anchor.record(5));
  CHECK(must(Anchor::read(file)) == 5);
}

}  // namespace catena::storage::test
