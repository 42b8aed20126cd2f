// Checkpoints of attempts: the newest is handed to the next attempt, whatever becomes of the tool, its worker and the coordinator.
#include <catch2/catch.hpp>

#include "storage/task_notes.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;
using namespace std::chrono_literals;

const std::string kTriedTwice = R"("retry": {"max_attempts": 2, "initial_interval": "1s", "jitter": 0})";

actors::AttemptNote at_row(int row) {
  actors::AttemptNote note;
  note.done = row;
  note.checkpoint = std::to_string(row);
  return note;
}
std::optional<storage::TaskCheckpoint> stored(const Fixture& f, ItemIndex item = 0) {
  return storage::load_task_checkpoint(f.kv, ChainId{"c"}, {0, 1}, item).value();
}

}  // namespace

TEST_CASE("an attempt that failed hands its last checkpoint to the next, and one that succeeds leaves nothing behind") {
  Fixture f;
  f.script.on("c/a", 1, leaving(R"({"row":7})", failure(Code::tool_killed, true)));
  CHECK(f.complete(pin(composite({step("a", kTriedTwice)}))).status == ChainStatus::succeeded);
  REQUIRE(f.script.executions.size() == 2);
  CHECK(f.script.executions[0].resume_from.empty());
  CHECK(f.script.executions[1].resume_from == R"({"row":7})");
  CHECK_FALSE(stored(f));
}

TEST_CASE("an attempt that fails without a checkpoint leaves that of the one before") {
  Fixture f;
  f.script.on("c/a", 1, leaving("7", failure(Code::tool_killed, true)));
  f.script.on("c/a", 2, failure(Code::tool_killed, true));
  f.complete(pin(composite({step("a", R"("retry": {"max_attempts": 3, "initial_interval": "1s", "jitter": 0})")})));
  REQUIRE(f.script.executions.size() == 3);
  CHECK(f.script.executions[2].resume_from == "7");
}

TEST_CASE("a checkpoint that was sent while the attempt ran is there when its worker is lost, and is told to another") {
  Fixture f{{.workers = {{.id = "w1"}}}};
  f.script.on("c/a", 1, held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.script.say("c/a", at_row(1));
  f.script.say("c/a", at_row(2));
  f.run();
  REQUIRE(stored(f));
  CHECK(stored(f)->state == "2");
  CHECK(stored(f)->attempt == 1);
  f.kill(f.workers.front());
  f.run();
  f.add_worker({.id = "w2", .incarnation = f.kv.epoch()});
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").worker == "w2");
  CHECK(f.script.last("c/a").resume_from == "2");
}

TEST_CASE("a checkpoint is there after a crash of the coordinator, also where what follows is a person's retry") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.script.on("c/a", 2, leaving("9", failure(Code::tool_failed)));
  f.submit(pin(composite({step("a")})));
  f.run();
  f.script.say("c/a", at_row(4));
  f.run();
  f.crash();
  f.script.pending.clear();
  f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::failed);
  CHECK(f.script.last("c/a").attempt == 2);
  CHECK(f.script.last("c/a").resume_from == "4");
  REQUIRE(stored(f));  // a person may have it tried again
  f.forget();
  f.script.on("c/a", 1, answer("{}"));  // the attempts are counted anew
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.last("c/a").resume_from == "9");
  CHECK_FALSE(stored(f));
}

TEST_CASE("what an attempt says that is not the current one changes nothing") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.script.on("c/a", 2, held());
  f.submit(pin(composite({step("a", kTriedTwice)})));
  f.run();
  const auto first = f.script.pending.find("c/a")->second;
  f.script.say("c/a", at_row(3));
  f.run();
  f.script.release("c/a", failure(Code::tool_killed, true));
  f.advance(1s);
  REQUIRE(f.script.last("c/a").attempt == 2);
  CHECK(f.script.last("c/a").resume_from == "3");
  auto late = at_row(99);
  late.chain = "c";
  late.grant = first.grant;
  caf::anon_send(first.reporter, actors::AttemptNotes{{late}});
  f.run();
  CHECK(stored(f)->state == "3");
  auto foreign = at_row(98);  // of an item that there is not
  f.script.pending.find("c/a")->second.item = 5;
  f.script.say("c/a", foreign);
  f.run();
  CHECK_FALSE(stored(f, 5));
}

TEST_CASE("items of a fan-out have a checkpoint each") {
  Fixture f;
  f.script.on("c/a/1", 1, leaving("11", failure(Code::tool_killed, true)));
  f.script.on("c/a/2", 1, leaving("12", failure(Code::tool_killed, true)));
  CHECK(f.complete(pin(composite({step("a", over(4) + ", " + kTriedTwice)}))).status == ChainStatus::succeeded);
  CHECK(f.script.executions.size() == 6);
  CHECK(f.script.last("c/a/1").resume_from == "11");
  CHECK(f.script.last("c/a/2").resume_from == "12");
  CHECK(f.script.last("c/a/3").resume_from.empty());
  for (ItemIndex item = 0; item < 4; ++item) CHECK_FALSE(stored(f, item));
}

TEST_CASE("an attempt that asks to go on from its checkpoint uses up none of those that may fail") {
  Fixture f;
  for (Attempt attempt = 1; attempt <= 4; ++attempt) f.script.on("c/a", attempt, leaving(std::to_string(attempt), postponed(0ms)));
  CHECK(f.complete(pin(composite({step("a")}))).status == ChainStatus::succeeded);
  REQUIRE(f.script.executions.size() == 5);
  for (std::size_t attempt = 1; attempt < 5; ++attempt) CHECK(f.script.executions[attempt].resume_from == std::to_string(attempt));
}

TEST_CASE("a new visit of a step begins at its beginning") {
  Fixture f;
  f.script.on("c/a", 1, leaving("1", failure(Code::tool_failed)));
  CHECK(f.complete(pin(composite({step("a")}))).status == ChainStatus::failed);
  f.forget();
  f.tell(actors::Control{ChainId{"c"}, engine::Retry{}, nullptr, {}, {.from = {"a"}}});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.executions.back().resume_from.empty());
}

TEST_CASE("wherever the power fails, an attempt goes on from a checkpoint that was sent, and never from one older than another had been told") {
  const auto package = pin(composite({step("a", R"("retry": {"max_attempts": 20, "initial_interval": "1s", "jitter": 0})")}));
  for (std::size_t messages = 1; messages < 60; ++messages) {
    Fixture f;
    for (Attempt attempt = 1; attempt <= 20; ++attempt) f.script.on("c/a", attempt, held());
    f.submit(package);
    f.run();
    std::size_t spent = 0;
    for (int row = 1; row <= 5; ++row) {
      f.script.say("c/a", at_row(row));
      spent += f.run_messages(messages - std::min(messages, spent));
      if (row == 3) f.script.release("c/a", leaving("3", failure(Code::tool_killed, true)));
      if (spent >= messages) break;
      f.advance(1s);
      if (!f.script.pending.contains("c/a")) break;
    }
    f.crash();
    f.script.pending.clear();
    f.script.otherwise = [](const actors::Attempted&) { return answer("{}"); };
    for (Attempt attempt = 1; attempt <= 20; ++attempt) f.script.on("c/a", attempt, answer("{}"));
    f.resume();
    f.await();
    INFO(messages);
    CHECK(f.finish().status == ChainStatus::succeeded);
    int told = 0;
    for (const auto& execution : f.script.executions) {
      const auto from = execution.resume_from.empty() ? 0 : std::stoi(execution.resume_from);
      CHECK(from >= told);
      told = from;
    }
    CHECK_FALSE(stored(f));
  }
}

TEST_CASE("usage is added up over the attempts of a task, and stays when it has succeeded") {
  Fixture f;
  auto used = [](Reply reply) {
    reply.usage = {{"tokens", 10}};
    return reply;
  };
  f.script.on("c/a", 1, used(failure(Code::tool_killed, true)));
  f.script.on("c/a", 2, used(answer("{}")));
  CHECK(f.complete(pin(composite({step("a", kTriedTwice)}))).status == ChainStatus::succeeded);
  const auto progress = storage::load_task_progress(f.kv, ChainId{"c"}, {0, 1}, 0).value();
  REQUIRE(progress);
  CHECK(progress->usage == std::map<std::string, std::int64_t>{{"tokens", 10}});
  CHECK(progress->before == std::map<std::string, std::int64_t>{{"tokens", 10}});
}

TEST_CASE("usage of an attempt before a person's retry counts, too, though the attempts are counted anew") {
  Fixture f;
  auto used = [](Reply reply) {
    reply.usage = {{"tokens", 10}};
    return reply;
  };
  f.script.on("c/a", 1, used(failure(Code::tool_failed)));
  CHECK(f.complete(pin(composite({step("a")}))).status == ChainStatus::failed);
  f.forget();
  f.script.on("c/a", 1, used(answer("{}")));
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  const auto progress = storage::load_task_progress(f.kv, ChainId{"c"}, {0, 1}, 0).value();
  REQUIRE(progress);
  CHECK(progress->before == std::map<std::string, std::int64_t>{{"tokens", 10}});
}

TEST_CASE("an order says how long an attempt may be silent") {
  Fixture f;
  f.complete(pin(composite({step("a", R"("heartbeat_timeout": "30s")", "/prog.tool")}),
                 {{"/prog.tool", R"({"additional_arguments": true, "system_event_endpoint": "exec:/bin/true"})"}}));
  CHECK(f.script.last("c/a").heartbeat_ms == 30'000);
}

}  // namespace catena::coordinator::test
