// What a worker asks its session for besides orders, and how much waits there for a slow link.
#include <catch2/catch.hpp>

#include "coordinator/file_queue.hpp"
#include "storage/chain_store.hpp"
#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

TEST_CASE("programs are sent by hash, from the store") {
  Cluster c;
  const std::string program(600'000, 'p');
  storage::Batch batch;
  storage::put_blob(batch, "0123abcd", 0, program);
  REQUIRE(c.f.kv.write(batch, storage::Durability::sync));
  FarEnd far{c.f.system};
  c.greet(far);
  far.say(actors::Fetch{"0123abcd"});
  far.say(actors::Fetch{"beef"});
  c.f.run();
  const auto contents = far.all<actors::Content>();
  REQUIRE(contents.size() == 2);
  CHECK(contents[0].found);
  CHECK(contents[0].bytes == program);
  CHECK(contents[1].hash == "beef");
  CHECK_FALSE(contents[1].found);
  CHECK_FALSE(contents[1].bytes.empty());
}

TEST_CASE("many programs at once wait for the link, not in memory") {
  Cluster c;
  c.settings->link.window_bytes = 1UL << 20U;
  constexpr int kPrograms = 20;
  storage::Batch batch;
  for (int at = 0; at < kPrograms; ++at) storage::put_blob(batch, "aa" + std::to_string(at), 0, std::string(1UL << 20U, 'p'));
  REQUIRE(c.f.kv.write(batch, storage::Durability::sync));
  FarEnd far{c.f.system};
  c.greet(far);
  for (int at = 0; at < kPrograms; ++at) far.say(actors::Fetch{"aa" + std::to_string(at)});
  c.f.run();
  CHECK(far.count<actors::Content>() == kPrograms);
}

TEST_CASE("calls of the file store are answered by who was handed in") {
  Cluster c;
  SECTION("by it") {
    c.settings->files = [](actors::FileAsk ask) { return actors::FileReply{{}, {}, ask.path + "!", 0}; };
    FarEnd far{c.f.system};
    c.greet(far);
    for (std::uint64_t id = 1; id <= 9; ++id) far.say(actors::FileCall{id, {actors::FileVerb::read, "/a", {}, {}, 0, {}}});
    c.f.run();
    const auto answers = far.all<actors::FileAnswer>();
    REQUIRE(answers.size() == 9);
    CHECK_FALSE(answers.front().reply.error);
    CHECK(answers.front().reply.content == "/a!");
  }
  SECTION("with an error where there is none") {
    FarEnd far{c.f.system};
    c.greet(far);
    far.say(actors::FileCall{5, {actors::FileVerb::read, "/a", {}, {}, 0, {}}});
    c.f.run();
    const auto answers = far.all<actors::FileAnswer>();
    REQUIRE(answers.size() == 1);
    CHECK(answers.front().id == 5);
    CHECK(answers.front().reply.error);
  }
}

TEST_CASE("a worker that sends and never reads loses its link, and its session stays small") {
  Cluster c;
  FarEnd far{c.f.system};
  c.greet(far);
  far.slow = true;
  constexpr int kMoreThanWaits = 300'000;
  int beats = 0;
  for (; beats < kMoreThanWaits && !far.broken; ++beats) {
    far.beat();
    if (beats % 1000 == 0) c.f.run();
  }
  CHECK(far.broken);
  CHECK(beats < kMoreThanWaits);
  FarEnd other{c.f.system, "w2"};
  c.greet(other);
  CHECK(other.linked());
}

TEST_CASE("answers of the file store wait as calls, not as answers, when the link has no room") {
  Cluster c;
  int reads = 0;
  c.settings->files = [&reads](actors::FileAsk) {
    ++reads;
    return actors::FileReply{{}, {}, std::string(4UL << 20U, 'x'), 0};
  };
  FarEnd far{c.f.system};
  c.greet(far);
  far.slow = true;
  constexpr int kCalls = 100;
  for (std::uint64_t id = 1; id <= kCalls; ++id) far.say(actors::FileCall{id, {actors::FileVerb::read, "/a", {}, {}, 0, {}}});
  c.f.run();
  CHECK(reads > 0);
  CHECK(reads <= 2 * static_cast<int>(FileQueue::kAtOnce));
  far.slow = false;
  far.beat();
  c.f.run();
  CHECK(reads == kCalls);
  CHECK(far.count<actors::FileAnswer>() == kCalls);
}

TEST_CASE("orders wait in one place until the link has room for them") {
  Cluster c;
  FarEnd far{c.f.system};
  far.greeting.slots = 64;
  c.greet(far);
  auto list = Json::array();
  for (int item = 0; item < 40; ++item) list.push_back(std::string(90'000, 'x'));
  far.slow = true;  // it acknowledges nothing
  c.f.submit(pin(composite({step("a", R"("parallel_execution": {"iterate_over": )" + list.dump() + R"(, "child_argument_name": "i"})")})));
  c.f.run();
  const auto before = far.count<actors::WorkOrder>();
  CHECK(before > 0);
  far.slow = false;
  far.script = echo;
  far.beat();
  c.f.run();
  CHECK(far.count<actors::WorkOrder>() > before);
  far.answer_all();
  CHECK(c.f.finish().status == ChainStatus::succeeded);
  for (int item = 0; item < 40; ++item) CHECK(far.runs("c/a/" + std::to_string(item)) == 1);
}

}  // namespace
}  // namespace catena::coordinator::test
