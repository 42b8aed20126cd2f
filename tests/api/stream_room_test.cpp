// Which stream is read when.
#include "api/stream_room.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

namespace catena::api::test {
namespace {

const ChainId kOfFeed{};
const ChainId kOfNap{"nap"};
using StreamIds = std::vector<StreamId>;

/// Reads and writes whatever is due, until nothing is.
void settle_streams(StreamRoom& room, std::int64_t now) {
  for (auto begun = room.begin_reading(now); !begun.empty(); begun = room.begin_reading(now)) {
    for (const auto stream : begun) {
      room.end_reading(stream, 10, false);
      room.end_writing(stream, now);
    }
  }
}

}  // namespace

TEST_CASE("a stream is read again only when its client has taken what came before") {
  StreamRoom room{{}};
  const auto stream = room.enter(kOfFeed, 0);
  REQUIRE(stream);
  CHECK(room.begin_reading(0) == StreamIds{*stream});
  CHECK(room.begin_reading(0).empty());
  room.end_reading(*stream, 100, true);
  for (int growth = 0; growth < 1000; ++growth) room.grow(kOfFeed, growth);
  CHECK(room.begin_reading(1000).empty());
  CHECK(room.bytes() == 100);
  room.end_writing(*stream, 1000);
  CHECK(room.bytes() == 0);
  CHECK(room.begin_reading(1000) == StreamIds{*stream});
}

TEST_CASE("a stream that has told all is read when its topic grows, and not for each growth") {
  StreamRoom room{{.apart_ms = 50}};
  const auto stream = room.enter(kOfNap, 0).value();
  settle_streams(room, 0);
  CHECK(room.is_idle(stream));
  room.grow(kOfFeed, 10);
  CHECK(room.begin_reading(1000).empty());
  room.grow(kOfNap, 10);
  room.grow(kOfNap, 20);
  CHECK(room.begin_reading(20).empty());
  CHECK(room.next_due_ms() == 50);
  CHECK(room.begin_reading(50) == StreamIds{stream});
}

TEST_CASE("growth while a stream is read, or its client takes the piece, is not missed") {
  StreamRoom room{{.apart_ms = 0}};
  const auto stream = room.enter(kOfFeed, 0).value();
  CHECK(room.begin_reading(0) == StreamIds{stream});
  room.grow(kOfFeed, 1);
  room.end_reading(stream, 5, false);
  room.end_writing(stream, 2);
  CHECK(room.begin_reading(2) == StreamIds{stream});
  room.end_reading(stream, 5, false);
  room.grow(kOfFeed, 3);
  room.end_writing(stream, 4);
  CHECK(room.begin_reading(4) == StreamIds{stream});
  room.end_reading(stream, 0, false);
  room.end_writing(stream, 5);
  CHECK(room.is_idle(stream));
}

TEST_CASE("nothing is read while clients have not taken as many bytes as may wait") {
  StreamRoom room{{.read_at_once = 2, .bytes = 100}};
  StreamIds streams;
  for (int stream = 0; stream < 4; ++stream) streams.push_back(room.enter(std::nullopt, 0).value());
  CHECK(room.begin_reading(0) == StreamIds{streams[0], streams[1]});
  CHECK(room.begin_reading(0).empty());
  room.end_reading(streams[0], 100, true);
  room.end_reading(streams[1], 100, true);
  CHECK(room.begin_reading(0).empty());
  room.leave(streams[0]);
  room.end_writing(streams[1], 0);
  CHECK(room.begin_reading(0).size() == 2);
}

TEST_CASE("there are so many streams and no more, and one that leaves makes room") {
  StreamRoom room{{.streams = 2}};
  const auto first = room.enter(kOfNap, 0);
  REQUIRE(first);
  const auto second = room.enter(kOfNap, 0);
  REQUIRE(second);
  CHECK_FALSE(room.enter(kOfNap, 0));
  room.leave(*first);
  CHECK(room.is_followed(kOfNap));
  room.leave(*second);
  room.leave(*second);
  CHECK_FALSE(room.is_followed(kOfNap));
  CHECK(room.size() == 0);
  CHECK_FALSE(room.next_due_ms());
  CHECK(room.enter(kOfFeed, 0));
}

TEST_CASE("a heartbeat comes at its time, whatever the stream does, and counts as a piece of it") {
  StreamRoom room{{.apart_ms = 0, .heartbeat_ms = 15}};
  const auto stream = room.enter(kOfFeed, 0).value();
  settle_streams(room, 0);
  CHECK(room.next_due_ms() == 15);
  CHECK(room.heartbeats(14).empty());
  CHECK(room.heartbeats(15) == StreamIds{stream});
  room.begin_heartbeat(stream, 2);
  CHECK_FALSE(room.is_idle(stream));
  room.grow(kOfFeed, 16);
  CHECK(room.begin_reading(16).empty());
  room.end_writing(stream, 17);
  CHECK(room.begin_reading(17) == StreamIds{stream});
  CHECK(room.heartbeats(30) == StreamIds{stream});
  CHECK_FALSE(room.is_idle(stream));
}

TEST_CASE("whatever happens in whatever order: no growth is missed, and no more waits than may") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const StreamLimits limits{.streams = 8, .read_at_once = 3, .bytes = 500, .apart_ms = 5, .heartbeat_ms = 40};
    StreamRoom room{limits};
    const std::vector<ChainId> topics{kOfFeed, kOfNap, ChainId{"walk"}};
    std::map<ChainId, int> grown;
    struct Told {
      ChainId topic;
      int upto = -1;     // growth that its reader has seen
      int reading = -1;  // that it saw when it began to
    };
    std::map<StreamId, Told> streams;
    StreamIds reading, writing;
    const auto take_one = [&](StreamIds& from) {
      const auto at = from.begin() + static_cast<std::ptrdiff_t>(random() % from.size());
      const auto stream = *at;
      from.erase(at);
      return stream;
    };
    std::int64_t now = 0;
    const auto begin = [&] {
      for (const auto stream : room.begin_reading(now)) {
        streams.at(stream).reading = grown[streams.at(stream).topic];
        reading.push_back(stream);
      }
    };
    for (int move = 0; move < 2000; ++move) {
      now += static_cast<std::int64_t>(random() % 3);
      const auto what = random() % 10;
      if (what == 0) {
        const auto& topic = topics[random() % topics.size()];
        if (const auto stream = room.enter(topic, now)) streams[*stream] = {topic};
      } else if (what == 1 && !streams.empty() && random() % 4 == 0) {
        const auto left = std::next(streams.begin(), static_cast<std::ptrdiff_t>(random() % streams.size()))->first;
        room.leave(left);
        streams.erase(left);
        std::erase(reading, left);
        std::erase(writing, left);
      } else if (what < 4) {
        const auto& topic = topics[random() % topics.size()];
        ++grown[topic];
        room.grow(topic, now);
      } else if (what < 7 && !reading.empty()) {
        const auto stream = take_one(reading);
        streams.at(stream).upto = streams.at(stream).reading;
        room.end_reading(stream, random() % 200, random() % 3 == 0);
        writing.push_back(stream);
      } else if (!writing.empty()) {
        room.end_writing(take_one(writing), now);
      }
      for (const auto stream : room.heartbeats(now)) {
        if (!room.is_idle(stream)) continue;
        CHECK(streams.at(stream).upto == grown[streams.at(stream).topic]);
        room.begin_heartbeat(stream, 2);
        writing.push_back(stream);
      }
      begin();
      CHECK(reading.size() <= limits.read_at_once);
      CHECK(room.bytes() < limits.bytes + limits.read_at_once * 200 + limits.streams * 2);
      CHECK(room.size() == streams.size());
    }
    while (true) {
      now += 100;
      begin();
      if (reading.empty() && writing.empty()) break;
      for (const auto stream : std::exchange(reading, {})) {
        streams.at(stream).upto = streams.at(stream).reading;
        room.end_reading(stream, 1, false);
        writing.push_back(stream);
      }
      for (const auto stream : std::exchange(writing, {})) room.end_writing(stream, now);
    }
    CHECK(room.bytes() == 0);
    for (const auto& [stream, told] : streams) {
      CHECK(room.is_idle(stream));
      CHECK(told.upto == grown[told.topic]);
    }
  }
}

}  // namespace catena::api::test
