// Nothing reaches the outside before what caused it is on disk; what is large travels by the blob store.
#include <catch2/catch.hpp>

#include "storage/keys.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using engine::ChainStatus;

TEST_CASE("nothing leaves before the event behind it is durable") {
  Fixture f;
  f.gate.shut = true;
  f.submit(pin(composite({step("a"), step("b", R"("dependencies": ["a"])")})));
  f.run();
  CHECK(f.script.executions.empty());
  CHECK(f.accepted.empty());
  std::size_t commits = 0;
  for (; !f.gate.kept.empty(); ++commits) {
    f.pass_one_commit();
    f.run();
    CHECK(f.script.executions.size() <= f.count<engine::Granted>());
    CHECK(f.has_ended() == (f.count<engine::ChainFinished>() == 1));
  }
  CHECK(commits > 3);
  CHECK(f.accepted == std::vector{ChainId{"c"}});
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("the end of a chain is announced only when it is durable") {
  Fixture f;
  f.script.on("c/a", held());
  f.submit(pin(composite({step("a")})));
  f.run();
  f.gate.shut = true;
  f.script.release("c/a");
  f.run();
  CHECK_FALSE(f.has_ended());
  CHECK(f.state().status == ChainStatus::running);
  f.open_gate();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

TEST_CASE("a write that fails is fatal, and nothing of it is announced", "[fatal]") {
  const auto fault = GENERATE(storage::MemoryKv::Fault::lost, storage::MemoryKv::Fault::landed);
  const auto package = pin(composite({step("a"), step("b", R"("dependencies": ["a"])")}));
  Fixture measured;
  const auto opened = measured.kv.commit();
  CHECK(measured.complete(package).status == ChainStatus::succeeded);
  const auto writes = measured.kv.commit() - opened;
  REQUIRE(writes > 3);
  for (std::uint64_t nth = 1; nth <= writes; ++nth) {
    CAPTURE(nth);
    Fixture f;
    f.kv.fail_write(nth, fault);
    f.submit(package);
    f.run();
    CHECK(f.fatal.size() >= 1);
    CHECK_FALSE(f.has_ended());
    const auto executed = f.script.executions.size();
    CHECK(executed <= 2);
    f.crash();
    f.exists() ? f.await() : f.submit(package);
    if (f.exists()) f.resume();
    f.run();
    if (f.exists() && !f.has_ended()) f.await();
    CHECK(f.finish().status == ChainStatus::succeeded);
  }
}

TEST_CASE("a large value goes by the blob store and comes back equal") {
  Fixture f;
  const auto big = Json{{"text", std::string(200UL << 10U, 'x')}, {"n", 1}};
  f.script.on("c/a", answer(big.dump()));
  const auto ended = f.complete(pin(composite({step("a"), step("b", R"("arguments": {"got": "REF:a.response"})")},
                                              R"("response_reference_map": {"whole": "REF:b.got", "n": "REF:a.n"})")));
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(f.script.last("c/b").arguments)["got"] == big);
  CHECK(f.state().steps[0].response.in_blob());
  REQUIRE(ended.response.in_blob());
  CHECK(Json::parse(read_payload(f.kv, ended.response).value().text) == Json{{"whole", big}, {"n", 1}});
}

TEST_CASE("a large argument of the chain goes by the blob store") {
  Fixture f;
  const auto big = Json{{"text", std::string(100UL << 10U, 'y')}};
  const auto ended = f.complete(
      pin(composite({step("a", R"("arguments": {"got": "REF:arguments.text"})")}, R"("response_reference_map": {"n": "REF:a.got.length"})")), "c",
      big.dump());
  REQUIRE(ended.status == ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text) == Json{{"n", 100UL << 10U}});
}

TEST_CASE("large items of a fan-out come back in order") {
  Fixture f;
  f.script.otherwise = [](const auto& attempt) {
    return answer(Json{{"text", std::string(70UL << 10U, static_cast<char>('a' + attempt.item))}}.dump());
  };
  const auto ended = f.complete(pin(composite({step("a", R"("parallel_execution": {"iterate_over": [1, 2, 3], "child_argument_name": "i"})")},
                                              R"("response_reference_map": {"all": "REF:a.response"})")));
  REQUIRE(ended.status == ChainStatus::succeeded);
  const auto all = Json::parse(read_payload(f.kv, ended.response).value().text)["all"];
  REQUIRE(all.size() == 3);
  for (std::size_t item = 0; item < 3; ++item) CHECK(all[item]["text"] == std::string(70UL << 10U, static_cast<char>('a' + item)));
}

TEST_CASE("where records may be lost with the process, no epoch uses the grant numbers of another again: workers may know them") {
  for (const auto durability : {storage::Durability::sync, storage::Durability::async, storage::Durability::none}) {
    Fixture f;
    f.script.on("c/a", held());
    const auto package = pin(composite({step("a")}));
    actors::Submission submission;
    submission.chain = ChainId{"c"};
    submission.package = package;
    submission.definition = package->root;
    submission.arguments = engine::inline_payload("{}");
    submission.durability = durability;
    f.tell(submission);
    f.run();
    REQUIRE(f.state().grants.size() == 1);
    const auto first = f.state().grants.begin()->first;
    if (durability == storage::Durability::sync) {
      CHECK(first == 1);
    } else {
      CHECK(first.value >> 32U == f.kv.epoch());
    }
  }
}

TEST_CASE("what is not logged is not logged by what is written beside it: no chain keeps a commit behind one that it lost") {
  Fixture f;
  const auto commit = [&](const std::string& name, storage::Durability durability) {
    auto batch = std::make_shared<storage::Batch>();
    batch->put(storage::keys::meta(name), name);
    caf::anon_send(f.services()->journal, actors::Commit{std::move(batch), durability, 0});
  };
  const auto has = [&](const std::string& name) { return f.kv.get(storage::keys::meta(name)).value().has_value(); };
  commit("x1", storage::Durability::none);
  f.run();
  commit("x2", storage::Durability::none);
  commit("y1", storage::Durability::sync);
  f.run();
  CHECK((has("x1") && has("x2") && has("y1")));
  f.crash();
  CHECK_FALSE(has("x1"));
  CHECK_FALSE(has("x2"));
  CHECK(has("y1"));
}

TEST_CASE("a chain goes on though its definition came with one that asked for less") {
  Fixture f;
  const auto package = pin(composite({step("a")}));
  actors::Submission submission;
  submission.chain = ChainId{"u"};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload("{}");
  submission.durability = storage::Durability::none;
  f.tell(submission);
  f.run();
  f.script.on("c/a", 1, held());
  f.submit(package);
  f.run();
  f.crash();
  CHECK_FALSE(f.exists("u"));
  f.resume();
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
}

}  // namespace
}  // namespace catena::coordinator::test
