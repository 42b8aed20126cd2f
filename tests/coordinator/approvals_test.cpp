// Approvals: waited for before the grant, answered once, refused in words, edited and checked, and found in one list of all chains.
#include <catch2/catch.hpp>

#include "base/chain_labels.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "engine/approvals.hpp"
#include "storage/approval_store.hpp"
#include "storage/keys.hpp"
#include "tests/base/scale.hpp"
#include "tests/coordinator/fixture.hpp"

namespace catena::coordinator::test {
namespace {

using namespace std::chrono_literals;
using engine::ApprovalAnswered;
using engine::ApprovalAsked;
using engine::ChainStatus;
using engine::VisitStatus;

const std::string kApprove = R"("approve": true)";

actors::Control answer_to(const std::string& step, bool approved = true, const std::string& chain = "c") {
  actors::Control control{ChainId{chain}, engine::Approval{.approved = approved, .by = "ann"}};
  control.step = step;
  return control;
}
actors::Control items_answer(const std::string& step, IndexSet items, bool approved = true) {
  auto control = answer_to(step, approved);
  std::get<engine::Approval>(control.what).items = std::move(items);
  return control;
}
actors::Control keyed_answer(const std::string& step, const std::string& key, bool approved = true) {
  auto control = answer_to(step, approved);
  std::get<engine::Approval>(control.what).key = key;
  return control;
}
actors::Control edited_answer(const std::string& step, const std::string& edit) {
  auto control = answer_to(step);
  std::get<engine::Approval>(control.what).arguments = engine::inline_payload(edit);
  return control;
}

std::string refusal_of_answer(Fixture& f, actors::Control control) {
  f.forget();
  f.tell(std::move(control));
  f.run();
  return f.refused.empty() ? std::string{} : f.refused.front().error.message;
}

std::vector<storage::WaitingApproval> inbox(const storage::Kv& kv, const ListApprovals& ask = {}) {
  const AnchoredClock clock;
  Inspector inspector{kv, kCatalog, clock};
  return inspector.answer(ask).value().rows;
}

template <class Event>
std::vector<Event> events_of(const Fixture& f, const std::string& chain = "c") {
  std::vector<Event> found;
  for (const auto& event : f.history(chain)) {
    if (const auto* one = std::get_if<Event>(&event)) found.push_back(*one);
  }
  return found;
}

TEST_CASE("of three calls one waits for an hour before its grant, and the others run on", "[approvals]") {
  Fixture f;
  f.submit(
      pin(composite({step("a"), step("w", kApprove + R"(, "arguments": {"n": 1})"), step("b"), step("end", R"("arguments": {"n": "REF:w.n"})")})));
  f.run();
  CHECK(f.script.count("c/a") == 1);
  CHECK(f.script.count("c/b") == 1);
  CHECK(f.script.count("c/w") == 0);
  CHECK(f.tickets_free() > 0);
  f.advance(1h);
  CHECK(f.script.count("c/w") == 0);
  auto yes = answer_to("w");
  yes.reason = "within the limits";
  f.tell(yes);
  CHECK(f.finish().status == ChainStatus::succeeded);
  for (const auto* key : {"c/a", "c/b", "c/w", "c/end"}) CHECK(f.script.count(key) == 1);
  REQUIRE(f.count<ApprovalAsked>() == 1);
  const auto answered = events_of<ApprovalAnswered>(f);
  REQUIRE(answered.size() == 1);
  CHECK(answered.front().approved);
  CHECK(answered.front().by == "ann");
  CHECK(answered.front().reason == "within the limits");
  CHECK(arguments_of(f, "c/w") == Json{{"n", 1}});
}

TEST_CASE("an answer that is sent again until it is heard counts once, wherever the power fails", "[approvals]") {
  const auto package = pin(composite(
      {step("w", R"("approve": {"allow_edit": true}, "arguments": {"n": 1})"), step("a"), step("v", kApprove + R"(, "dependencies": ["w"])")}));
  bool all = false;
  for (std::size_t messages = 0; !all; ++messages) {
    INFO(messages << " messages behind the answer");
    REQUIRE(messages < 400);
    Fixture f;
    f.submit(package);
    f.run();
    const auto send = [&] {
      auto edited = edited_answer("w", R"({"n": 2})");
      std::get<engine::Approval>(edited.what).key = "first";
      f.tell(edited);
    };
    send();
    all = f.run_messages(messages) < messages;
    const auto ran_before = f.script.count("c/v");
    f.crash();
    f.resume();
    f.await();
    f.run();
    CHECK(ran_before == 0);
    CHECK(f.script.count("c/v") == 0);
    send();
    f.run();
    f.tell(keyed_answer("v", "second"));
    CHECK(f.finish().status == ChainStatus::succeeded);
    CHECK(f.count<ApprovalAnswered>() == 2);
    CHECK(arguments_of(f, "c/w") == Json{{"n", 2}});
    CHECK(inbox(f.kv).empty());
    CHECK(refusal_of_answer(f, keyed_answer("v", "second", false)).empty());  // it has been answered, and the chain has ended
    CHECK(f.accepted.size() == 1);
  }
}

TEST_CASE("a rejected step fails once, and a retry asks again", "[approvals]") {
  Fixture f;
  f.submit(pin(composite({step("w", kApprove + R"(, "retry": {"max_attempts": 5})"), step("b", R"("dependencies": ["w"])")})));
  f.run();
  auto no = answer_to("w", false);
  no.reason = "too much";
  f.tell(no);
  const auto ended = f.finish();
  CHECK(ended.status == ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::approval_rejected);
  CHECK(ended.error->message == "step 'w': it was rejected by ann: too much");
  CHECK(f.script.executions.empty());
  CHECK(inbox(f.kv).empty());
  CHECK(refusal_of_answer(f, answer_to("w")) == "chain 'c' is failed: it has ended");
  f.control("c", engine::Retry{});
  f.run();
  CHECK(inbox(f.kv).size() == 1);
  CHECK(f.script.executions.empty());
  f.await();
  f.tell(answer_to("w"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<ApprovalAsked>() == 2);
}

TEST_CASE("what was approved and failed is run again without being asked for", "[approvals]") {
  Fixture f;
  f.script.on("c/w", failure(Code::tool_failed));
  f.submit(pin(composite({step("w", kApprove)})));
  f.run();
  f.tell(answer_to("w"));
  CHECK(f.finish().status == ChainStatus::failed);
  f.forget();
  f.script.on("c/w", answer("{}"));
  f.control("c", engine::Retry{});
  f.await();
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.count<ApprovalAsked>() == 1);
}

TEST_CASE("nobody answers in time: what becomes of it is as the definition says", "[approvals]") {
  const auto waiting = [](const std::string& then) { return pin(composite({step("w", R"("approve": {"timeout": "1h")" + then + "}")})); };
  Fixture f;
  f.submit(waiting(""));
  f.run();
  f.advance(59min);
  CHECK_FALSE(f.has_ended());
  auto ended = f.finish();
  CHECK(ended.error->code == Code::deadline_exceeded);
  CHECK(ended.error->message == "step 'w': nobody approved it within 1h");
  ended = f.complete(waiting(R"(, "on_timeout": "reject")"), "rejected");
  CHECK(ended.error->code == Code::approval_rejected);
  CHECK(f.script.executions.empty());
  CHECK(f.complete(waiting(R"(, "on_timeout": "approve")"), "approved").status == ChainStatus::succeeded);
  CHECK(f.script.count("approved/w") == 1);
  CHECK(inbox(f.kv).empty());
}

TEST_CASE("arguments are edited where the definition allows it, and are checked as when the step was evaluated", "[approvals]") {
  Fixture f;
  const std::string tool =
      R"({"arguments": [{"name": "amount", "type_name": "integer", "required": true}, {"name": "to", "type_name": "string"}],
          "system_event_endpoint": "builtin:echo"})";
  f.submit(pin(
      composite({step("pay", R"("approve": {"schema": {"type": "object", "properties": {"amount": {"maximum": 100}}, "additionalProperties": false}},
                                      "arguments": {"amount": 500, "to": "bob"})",
                      "/pay.tool"),
                 step("fixed", kApprove)}),
      {{"/pay.tool", tool}}));
  f.run();
  const auto refusal = [&](const std::string& step, const std::string& edit) { return refusal_of_answer(f, edited_answer(step, edit)); };
  CHECK(refusal("fixed", R"({"n": 1})") == "the arguments of step 'fixed' cannot be edited: its definition does not say 'allow_edit'");
  CHECK(refusal("pay", "[1]") == "what is edited is an object of arguments, not list");
  CHECK(refusal("pay", R"({"amount": 101})").starts_with("what is edited of step 'pay'"));
  CHECK(refusal("pay", R"({"to": "eve"})").starts_with("what is edited of step 'pay'"));
  CHECK(refusal("pay", R"({"amount": "many"})").find("amount") != std::string::npos);
  auto rejection = edited_answer("pay", R"({"amount": 1})");
  std::get<engine::Approval>(rejection.what).approved = false;
  CHECK(refusal_of_answer(f, rejection) == "a rejection edits no arguments: nothing runs with them");
  auto only_check = edited_answer("pay", R"({"amount": 90})");
  only_check.only_check = true;
  CHECK(refusal_of_answer(f, only_check).empty());
  CHECK(f.count<ApprovalAnswered>() == 0);
  CHECK(refusal("pay", R"({"amount": 90})").empty());
  f.tell(answer_to("fixed"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(arguments_of(f, "c/pay") == Json{{"amount", 90}, {"to", "bob"}});
}

TEST_CASE("large arguments are edited, too, also where a step was evaluated with the store", "[approvals]") {
  Fixture f;
  const std::string large(100'000, 'x');
  f.script.otherwise = [&](const actors::Attempted& attempt) {
    return attempt.key == "c/a" ? answer(Json{{"text", large}}.dump()) : answer(attempt.arguments);
  };
  f.submit(pin(composite({step("a"), step("w", R"("approve": {"allow_edit": true}, "arguments": {"text": "REF:a.text", "n": 1})")})));
  f.run();
  REQUIRE(inbox(f.kv).size() == 1);
  CHECK(inbox(f.kv).front().arguments.empty());
  CHECK(inbox(f.kv).front().arguments_bytes > large.size());
  f.tell(edited_answer("w", R"({"n": 2})"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(arguments_of(f, "c/w") == Json{{"text", large}, {"n", 2}});
}

TEST_CASE("an answer that cannot be is refused in words, and changes nothing", "[approvals]") {
  Fixture f;
  f.script.on("c/a", 1, held());
  f.submit(pin(composite(
      {step("a"), step("later", kApprove + R"(, "dependencies": ["a"])"), step("now", kApprove), step("each", kApprove + ", " + over(3))})));
  f.run();
  const auto refusal = [&](actors::Control control) { return refusal_of_answer(f, std::move(control)); };
  CHECK(refusal(answer_to("nwo")).find("did you mean 'now'?") != std::string::npos);
  CHECK(refusal(answer_to("a")) == "step 'a' needs no approval: its definition does not say 'approve'");
  CHECK(refusal(answer_to("later")) == "step 'later' has not begun: it can be approved when it waits for that");
  CHECK(refusal(answer_to("each")) == "step 'each' is a fan-out: name the items, as in each/0; these wait: 0-2");
  CHECK(refusal(items_answer("each", IndexSet::one(7))) == "step 'each' has 3 items, from 0 on; not all of 7 are among them");
  CHECK(refusal(items_answer("now", IndexSet::one(0))) == "step 'now' is no fan-out: it has no items");
  CHECK(refusal(keyed_answer("now", std::string(201, 'k'))) == "the key of an answer has at most 200 bytes");
  CHECK(f.count<ApprovalAnswered>() == 0);
  CHECK(refusal(answer_to("now")).empty());
  CHECK(refusal(answer_to("now")) == "step 'now' is completed, and waits for nothing");
  CHECK(refusal(items_answer("each", IndexSet::one(1))).empty());
  CHECK(refusal(items_answer("each", IndexSet::range(0, 2))) == "step 'each' does not wait for the approval of 1");
  f.control("c", engine::Cancel{});
  CHECK(f.finish().status == ChainStatus::cancelled);
  CHECK(inbox(f.kv).empty());
}

TEST_CASE("each item waits before its grant, and its siblings run on", "[approvals]") {
  Fixture f;
  f.submit(pin(composite({step("a", kApprove + ", " + each(numbers(5), R"("tolerated_failures": 1)"))})));
  f.run();
  CHECK(f.script.executions.empty());
  f.tell(items_answer("a", IndexSet::range(1, 3)));
  f.run();
  CHECK(f.script.count(item_key(0)) == 0);
  CHECK(f.script.count(item_key(1)) == 1);
  CHECK(f.script.count(item_key(2)) == 1);
  CHECK(f.script.count(item_key(3)) == 0);
  REQUIRE(inbox(f.kv).size() == 1);
  CHECK(inbox(f.kv).front().items == "0,3-4");
  CHECK(inbox(f.kv).front().waiting == 3);
  f.crash();
  f.resume();
  f.await();
  f.run();
  CHECK(f.script.count(item_key(0)) == 0);
  auto no = items_answer("a", IndexSet::one(3), false);
  no.reason = "not that one";
  f.tell(no);
  auto rest = IndexSet::one(0);
  rest.insert(4);
  f.tell(items_answer("a", rest));
  CHECK(f.finish().status == ChainStatus::succeeded);
  CHECK(f.script.count(item_key(3)) == 0);
  const auto item = storage::load_item(f.kv, ChainId{"c"}, {0, 1}, 3).value();
  REQUIRE(item);
  CHECK(item->find("it was rejected by ann: not that one") != std::string::npos);
}

TEST_CASE("a fan-out of many items waits in little memory, whatever is answered", "[approvals]") {
  constexpr int kItems = 20'000;
  Fixture f;
  f.submit(pin(composite({step("a", kApprove + ", " + over(kItems))})));
  f.run();
  CHECK(inbox(f.kv).front().items == "0-99");
  CHECK(inbox(f.kv).front().waiting == kItems);
  IndexSet even;
  for (std::uint32_t item = 0; item < 400; item += 2) even.insert(item);
  f.tell(items_answer("a", even));
  f.run();
  CHECK(f.script.executions.size() == 200);
  const auto row = inbox(f.kv).front();
  CHECK(row.waiting == kItems - 200);
  CHECK(row.items.size() < 1000);
  f.tell(items_answer("a", IndexSet::range(1, 2), false));
  CHECK(f.finish().status == ChainStatus::failed);
  CHECK(inbox(f.kv).empty());
}

TEST_CASE("a chain that only waits for approval sleeps, and the answer or the end of its time wakes it", "[approvals]") {
  Options options;
  options.settings.sleep_after_ms = 1000;
  Fixture f{options};
  f.submit(pin(composite({step("w", R"("approve": {"timeout": "1h"})")})));
  const auto sleeps = [&] {
    for (int asked = 0; asked < 3; ++asked) f.advance(1s);
    return Fixture::state_of<SupervisorState>(f.supervisor).running.at(ChainId{"c"}).life == SupervisorState::Life::sleeps;
  };
  REQUIRE(sleeps());
  CHECK(f.actors_left() == 0);
  f.tell(answer_to("w"));
  CHECK(f.finish().status == ChainStatus::succeeded);
  f.submit(pin(composite({step("w", R"("approve": {"timeout": "1h"})")})), "late");
  f.run();
  f.advance(10s);
  CHECK(f.finish("late").error->message == "step 'w': nobody approved it within 1h");
}

TEST_CASE("steps that wait for approval say so in lists, explanations and descriptions", "[approvals]") {
  Fixture f;
  f.submit(pin(composite(
      {step("w", R"("approve": {"who": "accounting", "timeout": "1h"}, "arguments": {"n": 1})"), step("each", kApprove + ", " + over(3))})));
  f.run();
  const AnchoredClock clock;
  Inspector inspector{f.kv, kCatalog, clock};
  const auto steps = inspector.answer(ListSteps{.chain = ChainId{"c"}}).value().steps;
  CHECK(steps[0].awaits_approval == 1);
  CHECK(steps[1].awaits_approval == 3);
  CHECK(inspector.answer(DescribeTask{.chain = ChainId{"c"}, .task = {"w", {}}}).value().item_status == ItemStatus::waiting);
  const auto reasons = inspector.answer(AskWaits{.chain = ChainId{"c"}}).value().reasons;
  REQUIRE(reasons.size() == 2);
  CHECK(reasons[0].code == engine::ReasonCode::approval);
  CHECK(reasons[0].until == f.now() + 3'600'000);
  CHECK(engine::line(reasons[0], ChainId{"c"}, f.now() + 60'000)
            .starts_with("w: it waits for approval by accounting for 1m 0s; the time to answer is over in 59m 0s"));
  auto untimed = reasons[0];
  untimed.at = untimed.until = 0;
  CHECK(engine::line(untimed, ChainId{"c"}) == "w: it waits for approval by accounting; `catena approve c w` lets it run, `catena reject` does not");
  CHECK(engine::words(reasons[1], ChainId{"c"}).find("3 items wait for approval") != std::string::npos);
  const auto item = inspector.answer(AskWaits{.chain = ChainId{"c"}, .step = "each", .item = 2}).value().reasons;
  REQUIRE(item.size() == 1);
  CHECK(engine::words(item[0], ChainId{"c"}).find("`catena approve c each/2`") != std::string::npos);
  const auto rows = inbox(f.kv);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].step == "w");
  CHECK(rows[0].who == "accounting");
  CHECK(rows[0].on_timeout == "fail");
  CHECK(rows[0].arguments == R"({"n":1})");
  CHECK(rows[1].items == "0-2");
  f.control("c", engine::Substitute{0, {}, engine::inline_payload("{}"), {}});
}

/// A store that refuses to read what chains keep for themselves.
class OnlyLists final : public storage::Kv {
 public:
  explicit OnlyLists(storage::Kv& kv) : kv_{kv} {}
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override {
    ++read;
    if (is_chains_own(key)) return fail(Code::storage_io, "a chain's own records were read");
    return kv_.get(key);
  }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    if (is_chains_own(from)) return fail(Code::storage_io, "a chain's own records were read");
    return kv_.scan(from, to, [&](std::string_view key, std::string_view value) { return ++read, visitor(key, value); });
  }
  [[nodiscard]] Result<void> write(const storage::Batch& batch, storage::Durability durability) override { return kv_.write(batch, durability); }
  [[nodiscard]] std::uint64_t epoch() const override { return kv_.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return kv_.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return kv_.durable_commit(); }
  mutable std::size_t read = 0;

 private:
  static bool is_chains_own(std::string_view key) {
    using enum storage::keys::Space;
    const auto space = storage::keys::space_of(key);
    return space == journal || space == checkpoints || space == ledger || space == inputs || space == blobs || space == packages;
  }
  storage::Kv& kv_;
};

TEST_CASE("ten thousand that wait are listed a page at a time, the longest waiting first, without a look into their chains", "[approvals]") {
  constexpr int kChains = catena::test::scaled(10'000, 500);
  Options options;
  options.workers = {{.slots = 1}};
  options.settings.sleep_after_ms = 1000;
  Fixture f{options};
  const auto package = pin(composite({step("w", R"("approve": {"who": "ops"}, "arguments": {"n": 1})")}));
  const auto id = [](int chain) { return "waits-" + std::to_string(chain); };
  for (int chain = 0; chain < kChains; ++chain) {
    f.submit(package, id(chain));
    if (chain % 100 == 0) f.advance(1ms);
  }
  f.run();
  const AnchoredClock clock;
  OnlyLists lists{f.kv};
  Inspector inspector{lists, kCatalog, clock};
  std::set<std::string> seen;
  UnixMillis last = 0;
  ListApprovals ask{.limit = 100};
  int pages = 0;
  do {
    const auto before = lists.read;
    const auto page = inspector.answer(ask);
    REQUIRE(page);
    CHECK(lists.read - before <= 202);
    CHECK(page->rows.size() <= 100);
    for (const auto& row : page->rows) {
      CHECK(row.since >= last);
      last = row.since;
      CHECK(seen.insert(row.chain.value).second);
    }
    ask.after = page->next;
    ++pages;
  } while (!ask.after.empty());
  CHECK(seen.size() == kChains);
  CHECK(pages <= kChains / 100 + 1);
  CHECK(inspector.answer(ListApprovals{.after = "nonsense"}).error().code == Code::usage);
  CHECK(inspector.answer(ListApprovals{.about = "waits-7"}).value().rows.size() <= 1);
  for (int chain = 0; chain < kChains; ++chain) {
    f.tell(answer_to("w", true, id(chain)));
    if (chain % 100 == 0) f.run();
  }
  f.run();
  CHECK(inbox(f.kv).empty());
}

TEST_CASE("the list is of one namespace, of one chain with those below it, or of who is to answer", "[approvals]") {
  Fixture f;
  const auto below = composite({step("inner", R"("approve": {"who": "ops"})")});
  const auto package = pin(composite({step("w", kApprove), step("sub", {}, "/sub.tool")}), {{"/sub.tool", below}});
  const auto submit = [&](const std::string& chain, const std::string& namespace_) {
    actors::Submission submission;
    submission.chain = ChainId{chain};
    submission.package = package;
    submission.definition = package->root;
    submission.arguments = engine::inline_payload("{}");
    if (!namespace_.empty()) submission.labels[std::string{kNamespaceLabel}] = namespace_;
    f.tell(std::move(submission));
    f.run();
  };
  submit("one", "red");
  submit("two", "blue");
  CHECK(inbox(f.kv).size() == 4);
  const auto red = inbox(f.kv, {.namespace_ = "red"});
  REQUIRE(red.size() == 2);
  CHECK(red[0].chain.value.starts_with("one"));
  CHECK(red[1].chain.value.starts_with("one"));
  CHECK(inbox(f.kv, {.about = "two"}).size() == 2);
  CHECK(inbox(f.kv, {.about = "two/sub"}).size() == 1);
  CHECK(inbox(f.kv, {.who = "ops"}).size() == 2);
  CHECK(inbox(f.kv, {.namespace_ = "green"}).empty());
}

}  // namespace
}  // namespace catena::coordinator::test
