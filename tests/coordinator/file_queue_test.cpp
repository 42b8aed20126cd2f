// The calls of a worker on the file store wait in order, and a worker that asks for more than one may is found out before memory is used.
#include "coordinator/file_queue.hpp"

#include <catch2/catch.hpp>

namespace catena::coordinator::test {
namespace {

actors::FileCall put(std::uint64_t id, std::size_t bytes) {
  actors::FileCall call;
  call.id = id;
  call.ask.verb = actors::FileVerb::put;
  call.ask.file.emplace();
  call.ask.file->content = std::string(bytes, 'c');
  return call;
}

TEST_CASE("calls of the file store start in the order they came, a few at a time") {
  FileQueue queue;
  for (std::uint64_t id = 1; id <= FileQueue::kAtOnce + 2; ++id) REQUIRE(queue.add(put(id, 1)));
  std::vector<std::size_t> places;
  for (std::uint64_t id = 1; id <= FileQueue::kAtOnce; ++id) {
    const auto start = queue.next();
    REQUIRE(start);
    CHECK(start->call.id == id);
    places.push_back(start->place);
  }
  CHECK_FALSE(queue.next());
  queue.answered(places[1]);
  const auto start = queue.next();
  REQUIRE(start);
  CHECK(start->call.id == FileQueue::kAtOnce + 1);
  CHECK(start->place == places[1]);
  CHECK_FALSE(queue.next());
}

TEST_CASE("more calls or contents than a worker may have under way are refused, and what was refused is not kept") {
  FileQueue queue{{3, 100}};
  CHECK(queue.add(put(1, 60)));
  CHECK_FALSE(queue.add(put(2, 41)));
  CHECK(queue.add(put(3, 40)));
  CHECK(queue.add(put(4, 0)));
  CHECK_FALSE(queue.add(put(5, 0)));
  CHECK(queue.size() == 3);
  CHECK(queue.bytes() == 100);
}

TEST_CASE("an answer and a lost link make room") {
  FileQueue queue{{8, 100}};
  CHECK(queue.add(put(1, 50)));
  CHECK(queue.add(put(2, 50)));
  const auto start = queue.next();
  REQUIRE(start);
  queue.drop_waiting();
  CHECK(queue.size() == 1);
  CHECK(queue.bytes() == 50);
  queue.answered(start->place);
  queue.answered(start->place);  // said twice: nothing more
  CHECK(queue.size() == 0);
  CHECK(queue.bytes() == 0);
  CHECK_FALSE(queue.next());
}

}  // namespace
}  // namespace catena::coordinator::test
