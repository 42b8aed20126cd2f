// Submissions with a key: the same once more makes no second chain, whatever crashes; another one under the same key is refused.
#include <catch2/catch.hpp>

#include <set>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/verify.hpp"
#include "storage/keys.hpp"
#include "storage/submission_keys.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using namespace std::chrono_literals;

Pinned keyed_work() {
  return pin(composite({step("one", R"("arguments": {"x": "REF:arguments.x"})")}, R"("response_reference_map": {"x": "REF:one.x"})"));
}

actors::Submission keyed(const std::string& chain, const std::string& key, std::string arguments = R"({"x": 7})") {
  static const auto package = keyed_work();
  actors::Submission submission;
  submission.chain = ChainId{chain};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload(std::move(arguments));
  submission.key = key;
  submission.id_made = true;
  return submission;
}

/// Submitted chains that there are.
std::set<std::string> chains_of(const Fixture& f) {
  std::set<std::string> ids;
  REQUIRE(storage::list_summaries(f.kv, {.parent = ""}, [&](const storage::ChainSummary& summary) { return ids.insert(summary.id.value), true; }));
  return ids;
}

std::size_t keys_left(const Fixture& f) {
  std::size_t count = 0;
  REQUIRE(f.kv.scan("s", "t", [&](std::string_view, std::string_view) { return ++count, true; }));
  return count;
}

Error refusal_of(Fixture& f, actors::Submission submission) {
  f.forget();
  f.tell(std::move(submission));
  f.run();
  REQUIRE(f.refused.size() == 1);
  CHECK(f.answers.empty());
  return f.refused.front().error;
}

}  // namespace

TEST_CASE("the same submission with the same key is answered with the first chain, while it runs and when it has ended") {
  Fixture f;
  f.tell(keyed("a", "k"));
  f.run();
  f.tell(keyed("b", "k", R"({ "x" : 7 })"));  // written in another way
  f.run();
  REQUIRE(f.answers.size() == 2);
  CHECK(f.answers[0].chain == ChainId{"a"});
  CHECK(f.answers[0].ran == ChainId{});
  CHECK(f.answers[1].chain == ChainId{"b"});
  CHECK(f.answers[1].ran == ChainId{"a"});
  f.await("a");
  f.finish("a");
  f.crash();
  f.tell(keyed("c", "k"));
  f.run();
  REQUIRE(f.answers.size() == 1);
  CHECK(f.answers[0].ran == ChainId{"a"});
  CHECK(chains_of(f) == std::set<std::string>{"a"});
  f.tell(keyed("d", "other"));
  f.run();
  CHECK(chains_of(f) == std::set<std::string>{"a", "d"});
  CHECK(verify_store(f.kv, kCatalog).value().problems == Words{});
}

TEST_CASE("another submission under a key is refused, and told what differs") {
  Fixture f;
  f.tell(keyed("a", "k"));
  f.run();
  const auto error = refusal_of(f, keyed("b", "k", R"({"x": 8})"));
  CHECK(error.code == Code::submission_conflict);
  CHECK(error.message ==
        "the key 'k' was given to the submission of chain 'a', and this one differs in: arguments; give each submission a key of its own");
  auto other = keyed("b", "k");
  other.labels = {{"team", "x"}};
  other.priority = 3;
  other.context = engine::inline_payload(R"({"user": 1})");
  CHECK(refusal_of(f, other).message.find("differs in: context, labels, priority;") != std::string::npos);
  other = keyed("b", "k");
  other.package = pin(composite({step("two")}));
  CHECK(refusal_of(f, other).message.find("differs in: package;") != std::string::npos);
  other = keyed("b", "k");
  other.id_made = false;
  CHECK(refusal_of(f, other).message.find("differs in: id;") != std::string::npos);
  other.chain = ChainId{"a"};
  f.forget();
  f.tell(other);
  f.run();
  REQUIRE(f.answers.size() == 1);
  CHECK(f.answers.front().ran == ChainId{"a"});
  CHECK(refusal_of(f, keyed("b", "with space")).code == Code::field_value);
  CHECK(chains_of(f) == std::set<std::string>{"a"});
}

TEST_CASE("of submissions that come together one begins a chain, and none is answered before that is durable") {
  Fixture f;
  f.gate.shut = true;
  for (int client = 0; client < 10; ++client) f.tell(keyed("c" + std::to_string(client), "k", client == 5 ? R"({"x": 8})" : R"({"x": 7})"));
  f.run();
  CHECK(f.answers.empty());
  CHECK(f.refused.empty());
  f.open_gate();
  f.run();
  CHECK(f.answers.size() == 9);
  for (std::size_t at = 1; at < f.answers.size(); ++at) CHECK(f.answers[at].ran == ChainId{"c0"});
  REQUIRE(f.refused.size() == 1);
  CHECK(f.refused.front().error.code == Code::submission_conflict);
  CHECK(chains_of(f) == std::set<std::string>{"c0"});
}

TEST_CASE("where the first of several cannot begin, the next one does") {
  Fixture f;
  f.gate.shut = true;
  f.tell(keyed("c0", "k"));
  f.tell(keyed("c1", "k"));
  f.run_messages(4);
  // Its coordinator dies with all it had, and no record is there.
  for (int time = 0; time < 20 && f.state_of<SupervisorState>(f.supervisor).running.empty(); ++time) f.run_messages(1);
  REQUIRE(f.state_of<SupervisorState>(f.supervisor).running.contains(ChainId{"c0"}));
  f.kill(f.coordinator_of("c0"));
  f.gate.kept.clear();
  f.gate.shut = false;
  f.run();
  if (f.refused.empty()) {  // its commit was on its way already
    CHECK(chains_of(f).size() == 1);
  } else {
    CHECK(f.refused.front().chain == ChainId{"c0"});
    CHECK(chains_of(f) == std::set<std::string>{"c1"});
    REQUIRE(f.answers.size() == 1);
    CHECK(f.answers.front().ran == ChainId{});
  }
}

TEST_CASE("wherever the power fails, a key and its chain are both there or neither, and clients that ask again make one chain") {
  std::size_t messages = 0;
  bool begun = false;
  for (; !begun || messages < 60; ++messages) {
    INFO("after " << messages << " messages");
    Fixture f;
    for (int client = 0; client < 3; ++client) f.tell(keyed("c" + std::to_string(client), "k"));
    f.run_messages(messages);
    const auto told = f.answers;
    f.crash();
    const auto known = storage::load_submission(f.kv, "k").value();
    const auto chains = chains_of(f);
    REQUIRE(chains.size() == (known ? 1 : 0));
    begun = known.has_value();
    if (known) CHECK(chains.contains(known->chain.value));
    if (!told.empty()) CHECK(known);
    for (int client = 0; client < 3; ++client) f.tell(keyed("d" + std::to_string(client), "k"));
    f.run();
    CHECK(f.answers.size() == 3);
    REQUIRE(chains_of(f).size() == 1);
    const ChainId only{*chains_of(f).begin()};
    for (const auto& answer : told) CHECK((answer.ran == ChainId{} ? answer.chain : answer.ran) == only);
    for (const auto& answer : f.answers) CHECK((answer.ran == ChainId{} ? answer.chain : answer.ran) == only);
  }
}

TEST_CASE("random schedules, crashes and dying coordinators: as many chains as keys, and every answer names the chain of its key") {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    Fixture f{{.seed = seed}};
    std::mt19937 random{seed};
    std::map<std::string, std::set<std::string>> told;  // chains by key
    std::map<std::string, std::string> key_of;          // by the id that was asked for
    int count = 0;
    const auto listen = [&] {
      for (const auto& answer : f.answers) told[key_of.at(answer.chain.value)].insert((answer.ran == ChainId{} ? answer.chain : answer.ran).value);
      f.forget();
    };
    const auto ask = [&](const std::string& key) {
      const auto id = "c" + std::to_string(count++);
      key_of[id] = key;
      f.tell(keyed(id, key, R"({"x": ")" + key + R"("})"));
    };
    for (int round = 0; round < 6; ++round) {
      for (auto asks = 1 + random() % 6; asks > 0; --asks) ask("k" + std::to_string(random() % 3));
      f.run_messages(random() % 60);
      listen();
      if (random() % 3 == 0) {
        f.crash();
      } else if (random() % 2 == 0) {
        for (const auto& [chain, running] : Fixture::state_of<SupervisorState>(f.supervisor).running) {
          if (running.coordinator && running.rebuilt < 3) f.kill(running.coordinator);
        }
      }
    }
    for (int key = 0; key < 3; ++key) ask("k" + std::to_string(key));
    f.run();
    listen();
    const auto chains = chains_of(f);
    CHECK(chains.size() == 3);
    for (const auto& [key, answers] : told) {
      INFO(key);
      CHECK(answers.size() == 1);
      CHECK(chains.contains(*answers.begin()));
    }
    CHECK(told.size() == 3);
    CHECK(Fixture::state_of<SupervisorState>(f.supervisor).keyed.empty());
    CHECK(Fixture::state_of<SupervisorState>(f.supervisor).keyed_chains.empty());
  }
}

TEST_CASE("a key is kept for its time after the submission and goes then; the same key makes another chain afterwards") {
  Fixture f{{.settings = {.keys_kept_ms = 100'000}}};
  for (int key = 0; key < 600; ++key) f.tell(keyed("c" + std::to_string(key), "k" + std::to_string(key)));
  f.run();
  CHECK(keys_left(f) == 1200);
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  const auto found = inspector.answer(FindSubmission{.submission_key = "k7"}).value();
  CHECK(found.chain == ChainId{"c7"});
  CHECK(found.expires_at - found.submitted_at == 100'000);
  CHECK_FALSE(found.removed);
  f.advance(Millis{99'000});
  f.tell(keyed("again", "k7"));
  f.run();
  CHECK(f.answers.back().ran == ChainId{"c7"});
  f.advance(Millis{1'000});
  f.tell(keyed("anew", "k7"));
  f.run();
  CHECK(f.answers.back().ran == ChainId{});
  for (int pass = 0; pass < 40 && keys_left(f) > 2; ++pass) f.advance(Millis{5'000});
  CHECK(keys_left(f) == 2);
  CHECK(storage::load_submission(f.kv, "k7").value()->chain == ChainId{"anew"});
  CHECK(inspector.answer(FindSubmission{.submission_key = "k8"}).error().code == Code::chain_not_found);
  f.crash();
  for (int pass = 0; pass < 40 && keys_left(f) > 0; ++pass) f.advance(Millis{5'000});
  CHECK(keys_left(f) == 0);
}

TEST_CASE("a key outlives its chain: the same submission does not bring back what was removed, nor is another chain of that id taken for it") {
  Fixture f;
  f.tell(keyed("a", "k"));
  f.await("a");
  f.finish("a");
  f.tell(actors::RemoveChains{{ChainId{"a"}}});
  f.run();
  REQUIRE_FALSE(f.exists("a"));
  const auto error = refusal_of(f, keyed("b", "k"));
  CHECK(error.code == Code::chain_not_found);
  CHECK(error.message == "chain 'a', which was submitted with the key 'k', has been removed; another key submits it again");
  f.advance(Millis{10});
  f.complete(keyed_work(), "a");
  CHECK(refusal_of(f, keyed("b", "k")).code == Code::chain_not_found);
  Inspector inspector{f.kv, kCatalog, *f.services()->clock};
  CHECK(inspector.answer(FindSubmission{.submission_key = "k"}).value().removed);
}

}  // namespace catena::coordinator::test
