#include "worker/home_lock.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/worker/support.hpp"

namespace catena::worker::test {
namespace {

TEST_CASE("a place has one holder at a time, and is the same place for the next") {
  const TempDir directory;
  auto first = HomeLock::take(directory.path("cache"), "w1");
  REQUIRE(first);
  CHECK_FALSE(first->id().empty());
  CHECK_FALSE(HomeLock::take(directory.path("cache"), "w1"));
  const auto id = first->id();
  first.reset();
  const auto next = HomeLock::take(directory.path("cache"), "w1");
  REQUIRE(next);
  CHECK(next->id() == id);
}

TEST_CASE("another name, or another directory, is another place") {
  const TempDir directory;
  const auto one = HomeLock::take(directory.path("cache"), "w1");
  const auto other = HomeLock::take(directory.path("cache"), "w2");
  const auto elsewhere = HomeLock::take(directory.path("more"), "w1");
  REQUIRE(one);
  REQUIRE(other);
  REQUIRE(elsewhere);
  CHECK(one->id() != other->id());
  CHECK(one->id() != elsewhere->id());
}

TEST_CASE("where no place can be had there is none") {
  const TempDir directory;
  CHECK_FALSE(HomeLock::take("", "w1"));
  CHECK_FALSE(HomeLock::take("/proc/nothing/can/be/made/here", "w1"));
  std::filesystem::create_directories(directory.path("cache") + "/.worker-w1");
  CHECK_FALSE(HomeLock::take(directory.path("cache"), "w1"));
}

}  // namespace
}  // namespace catena::worker::test
