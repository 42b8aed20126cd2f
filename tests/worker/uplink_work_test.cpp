// What passes over a worker's uplink besides orders: programs and files. In virtual time.
#include <catch2/catch.hpp>

#include "base/hash.hpp"
#include "tests/worker/support.hpp"
#include "tests/worker/uplink_stage.hpp"

namespace catena::worker::test {
namespace {

TEST_CASE("a program that is lacking is fetched once for all orders that wait, and runs from the cache") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  stage.order({0}, 1, kHash);
  stage.order({0}, 2, kHash);
  CHECK(stage.node.orders.empty());
  REQUIRE(stage.far().all<actors::Fetch>().size() == 1);
  CHECK(stage.far().all<actors::Fetch>().front().hash == kHash);
  stage.say(actors::Content{kHash, true, kProgram});
  REQUIRE(stage.node.orders.size() == 2);
  CHECK(stage.node.orders[0].target == directory.path("cache/" + kHash));
  CHECK(stage.node.orders[1].target == directory.path("cache/" + kHash));
  CHECK(read_all(stage.node.orders[0].target) == kProgram);
  stage.order({0}, 3, kHash);
  CHECK(stage.node.orders.size() == 3);
  CHECK(stage.far().all<actors::Fetch>().size() == 1);
}

TEST_CASE("a program that came with another content fails the attempts, which may be made again") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  stage.order({0, 1}, 1, kHash);
  stage.say(actors::Content{kHash, true, "#!/bin/sh\nrm -rf /\n"});
  CHECK(stage.node.orders.empty());
  CHECK(stage.far().reported() == Items{0, 1});
  const auto error = error_from_json(Json::parse(stage.far().all<actors::WorkReport>().front().results.front().text));
  CHECK(error.code == Code::tool_not_started);
  CHECK(error.retryable);
  CHECK(error.message.find("tool 'tool'") != std::string::npos);
  // the next attempt asks again
  stage.order({0}, 2, kHash);
  CHECK(stage.far().all<actors::Fetch>().size() == 2);
}

TEST_CASE("a program that the coordinator does not have fails the attempts in its words") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  stage.order({0}, 1, kHash);
  stage.say(actors::Content{kHash, false, "the store lacks it"});
  REQUIRE(stage.far().reported() == Items{0});
  const auto error = error_from_json(Json::parse(stage.far().all<actors::WorkReport>().front().results.front().text));
  CHECK(error.retryable);
  CHECK(error.message.find("the store lacks it") != std::string::npos);
}

TEST_CASE("a program is asked for again on the next link") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  stage.order({0}, 1, kHash);
  stage.lose_link();
  stage.welcome();
  REQUIRE(stage.far().all<actors::Fetch>().size() == 1);
  stage.say(actors::Content{kHash, true, kProgram});
  CHECK(stage.node.orders.size() == 1);
}

TEST_CASE("orders that wait for a program have not begun: they can be stopped, given back and forgotten") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  for (std::uint64_t grant = 1; grant <= 3; ++grant) stage.order({static_cast<std::uint32_t>(grant)}, grant, kHash);
  stage.say(actors::StopOrder{"c", 1});
  stage.say(actors::GiveBackOrder{"c", 2});
  stage.say(actors::LetGo{"c", 3});
  CHECK(stage.far().reported() == Items{1, 2});
  const auto reports = stage.far().all<actors::WorkReport>();
  CHECK(code_of(reports[0].results.front()) == Code::cancelled);
  CHECK(code_of(reports[1].results.front()) == Code::given_back);
  stage.say(actors::Content{kHash, true, kProgram});
  CHECK(stage.node.orders.empty());
}

TEST_CASE("what waits for a program is given back by a worker that drains") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  stage.order({0}, 1, kHash);
  stage.tell(Drain{});
  CHECK(stage.far().reported() == Items{0});
  stage.say(actors::Content{kHash, true, kProgram});
  CHECK(stage.node.orders.empty());
}

TEST_CASE("a program that comes when nobody waits any more is kept, and not fetched again") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  stage.order({0}, 1, kHash);
  stage.say(actors::GiveBackOrder{"c", 1});
  stage.order({1}, 2, kHash);  // while it is on its way
  stage.say(actors::GiveBackOrder{"c", 2});
  stage.say(actors::Content{kHash, true, kProgram});
  CHECK(stage.node.orders.empty());
  stage.order({2}, 3, kHash);
  REQUIRE(stage.node.orders.size() == 1);
  CHECK(read_all(stage.node.orders[0].target) == kProgram);
  CHECK(stage.far().all<actors::Fetch>().size() == 1);
}

TEST_CASE("a program that lies under a tool root is not fetched, and runs from the cache") {
  const TempDir directory;
  std::filesystem::create_directories(directory.path("tools"));
  static_cast<void>(directory.write("tools/t.sh", kProgram));
  Stage stage{directory.path("cache"), 0, std::make_shared<const ToolPrograms>(std::vector<std::string>{directory.path("tools")})};
  stage.welcome();
  stage.order({0}, 1, kHash);
  REQUIRE(stage.node.orders.size() == 1);
  CHECK(stage.node.orders[0].target == directory.path("cache/" + kHash));
  CHECK(read_all(stage.node.orders[0].target) == kProgram);
  const std::string other = kProgram + "# other\n";
  stage.order({0}, 2, sha256_hex(other));
  CHECK(stage.node.orders.size() == 1);
  REQUIRE(stage.far().all<actors::Fetch>().size() == 1);
  CHECK(stage.far().all<actors::Fetch>().front().hash == sha256_hex(other));
}

TEST_CASE("a program that nobody asked for is not kept") {
  const TempDir directory;
  Stage stage{directory.path("cache")};
  stage.welcome();
  stage.say(actors::Content{kHash, true, kProgram});
  CHECK_FALSE(std::filesystem::exists(directory.path("cache/" + kHash)));
}

TEST_CASE("the program of an order stays until the coordinator has all of the order, however full the cache is") {
  const TempDir directory;
  Stage stage{directory.path("cache"), 1};
  const std::string other = kProgram + "# other\n";
  const std::string third = kProgram + "# third\n";
  const auto there = [&](const std::string& program) { return std::filesystem::exists(directory.path("cache/" + sha256_hex(program))); };
  stage.welcome();
  stage.order({0}, 1, kHash);
  stage.say(actors::Content{kHash, true, kProgram});
  stage.order({0}, 2, sha256_hex(other));
  stage.say(actors::Content{sha256_hex(other), true, other});
  CHECK(there(kProgram));
  stage.finish(0, 0);
  stage.say(actors::OrderDone{"c", 1});
  stage.order({0}, 3, sha256_hex(third));
  stage.say(actors::Content{sha256_hex(third), true, third});
  CHECK_FALSE(there(kProgram));
  CHECK(there(other));
  CHECK(there(third));
}

// ---- files

/// Somebody who asks for files, and what was answered.
struct Asker {
  std::vector<actors::FileReply> answers;
  void ask(Stage& stage, actors::FileVerb verb, std::int64_t timeout_ms = 10'000) {
    if (!actor) {
      actor = stage.system.spawn(
          [this](caf::event_based_actor*) -> caf::behavior { return {[this](const FileAnswered& answer) { answers.push_back(answer.reply); }}; });
    }
    caf::send_as(actor, stage.up, AskFile{{verb, "/a", {}, {}, 0, {}}, timeout_ms});
    stage.run();
  }
  void end(Stage& stage) {
    caf::anon_send_exit(actor, caf::exit_reason::kill);
    stage.run();
    actor = nullptr;
  }
  caf::actor actor;
};

TEST_CASE("a call of the file store goes to the coordinator, and its answer to who asked") {
  Stage stage;
  stage.welcome();
  Asker one;
  Asker other;
  one.ask(stage, actors::FileVerb::read);
  other.ask(stage, actors::FileVerb::describe);
  const auto calls = stage.far().all<actors::FileCall>();
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].ask.verb == actors::FileVerb::read);
  CHECK(calls[0].ask.path == "/a");
  CHECK(calls[0].id != calls[1].id);
  stage.say(actors::FileAnswer{calls[1].id, {{}, {}, "two", 0}});
  stage.say(actors::FileAnswer{calls[0].id, {{}, {}, "one", 0}});
  stage.say(actors::FileAnswer{calls[0].id, {{}, {}, "again", 0}});
  stage.say(actors::FileAnswer{999, {{}, {}, "nobody's", 0}});
  REQUIRE(one.answers.size() == 1);
  CHECK(one.answers.front().content == "one");
  REQUIRE(other.answers.size() == 1);
  CHECK(other.answers.front().content == "two");
  one.end(stage);
  other.end(stage);
}

TEST_CASE("a call that may be repeated is made again on the next link, one that changes something fails") {
  Stage stage;
  stage.welcome();
  Asker asker;
  asker.ask(stage, actors::FileVerb::put);
  asker.ask(stage, actors::FileVerb::remove);
  stage.lose_link();
  REQUIRE(asker.answers.size() == 1);
  REQUIRE(asker.answers.front().error);
  asker.ask(stage, actors::FileVerb::remove);  // not sent yet: it waits
  stage.welcome();
  const auto calls = stage.far().all<actors::FileCall>();
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].ask.verb == actors::FileVerb::put);
  CHECK(calls[1].ask.verb == actors::FileVerb::remove);
  asker.end(stage);
}

TEST_CASE("a call without an answer ends with its time") {
  Stage stage;
  stage.welcome();
  Asker asker;
  asker.ask(stage, actors::FileVerb::read, 2'000);
  stage.advance(Millis{1'500});
  CHECK(asker.answers.empty());
  stage.advance(Millis{1'000});
  REQUIRE(asker.answers.size() == 1);
  REQUIRE(asker.answers.front().error);
  CHECK(asker.answers.front().error->code == Code::connection_failed);
  asker.end(stage);
}

}  // namespace
}  // namespace catena::worker::test
