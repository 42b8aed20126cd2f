// Calls of the file store that wait for their answers.
#include "worker/file_waits.hpp"

#include <catch2/catch.hpp>

namespace catena::worker {
namespace {

actors::FileAsk asking(actors::FileVerb verb, std::size_t bytes = 0) {
  actors::FileAsk ask;
  ask.verb = verb;
  if (bytes > 0) ask.file.emplace().content.assign(bytes, 'x');
  return ask;
}

std::vector<std::uint64_t> ids(const std::vector<actors::FileCall>& calls) {
  std::vector<std::uint64_t> ids;
  for (const auto& call : calls) ids.push_back(call.id);
  return ids;
}

using Ids = std::vector<std::uint64_t>;

TEST_CASE("calls are sent in order, each once a link") {
  FileWaits waits;
  waits.add(nullptr, asking(actors::FileVerb::read), 100);
  waits.add(nullptr, asking(actors::FileVerb::read), 100);
  CHECK(ids(waits.next()) == Ids{1, 2});
  CHECK(waits.next().empty());
  CHECK(waits.answered(1).has_value());
  CHECK_FALSE(waits.answered(1).has_value());
  waits.begin_link();
  CHECK(ids(waits.next()) == Ids{2});
}

TEST_CASE("contents on their way are bounded, and one call always goes") {
  FileWaits waits;
  constexpr auto kMost = actors::kFileBytesOnTheWay;
  waits.add(nullptr, asking(actors::FileVerb::put, kMost + 1), 100);
  waits.add(nullptr, asking(actors::FileVerb::put, 1), 100);
  CHECK(ids(waits.next()) == Ids{1});
  CHECK(waits.next().empty());
  CHECK(waits.answered(1).has_value());
  CHECK(ids(waits.next()) == Ids{2});
}

TEST_CASE("calls end when their time is over, and with a link when they must not be made twice") {
  FileWaits waits;
  waits.add(nullptr, asking(actors::FileVerb::read), 100);
  waits.add(nullptr, asking(actors::FileVerb::remove), 200);
  static_cast<void>(waits.next());
  waits.add(nullptr, asking(actors::FileVerb::remove), 300);  // not sent yet
  SECTION("in time") {
    CHECK(waits.end_late(99).empty());
    const auto late = waits.end_late(100);
    REQUIRE(late.size() == 1);
    REQUIRE(late.front().reply.error.has_value());
    CHECK(late.front().reply.error->code == Code::connection_failed);
    CHECK(late.front().reply.error->message.find("no answer in time") != std::string::npos);
    CHECK(waits.end_late(300).size() == 2);
  }
  SECTION("with the link") {
    CHECK(waits.end_unrepeatable().size() == 1);
    waits.begin_link();
    CHECK(ids(waits.next()) == Ids{1, 3});
  }
  SECTION("all of them") {
    CHECK(waits.end_all("it is not wanted").size() == 3);
    waits.begin_link();
    CHECK(waits.next().empty());
  }
}

}  // namespace
}  // namespace catena::worker
