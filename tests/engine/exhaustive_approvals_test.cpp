// Every schedule of tiny programs in which steps wait for approval.
#include <catch2/catch.hpp>

#include "tests/engine/exhaustive.hpp"

namespace catena::engine::test {
namespace {

using enum ChainStatus;
using enum lang::Join;
using std::chrono::seconds;

/// Approvals, each with what may come between it and the step that waits for it.
std::vector<Case> approvals() {
  using enum lang::OnApprovalTimeout;
  std::vector<Case> cases;
  const auto add = [&](std::string name, Scenario made, std::vector<Approval> given, std::set<ChainStatus> ends) -> Scenario& {
    for (std::size_t number = 0; number < given.size(); ++number) given[number].key = std::to_string(number), given[number].by = "ann";
    made.approvals = std::move(given);
    cases.push_back({std::move(name), std::move(made), std::move(ends)});
    return cases.back().scenario;
  };
  const auto yes = [](StepIndex step, IndexSet items = IndexSet::one(0)) { return Approval{.step = step, .items = std::move(items)}; };
  const auto no = [](StepIndex step, IndexSet items = IndexSet::one(0)) {
    return Approval{.step = step, .items = std::move(items), .approved = false, .reason = "too much"};
  };
  const auto three = [] { return graph({S("a"), S("w").after({0}).approve(), S("b").after({1})}); };
  add("approved, two crashes", scenario(graph({S("w").approve(), S("b").after({0})}), {.crashes = 2}), {yes(0)}, {succeeded});
  add("nobody answers", scenario(three(), kCrash), {}, {running});
  add("rejected, a crash", scenario(three(), kCrash), {no(1)}, {failed});
  add("approved or rejected, whichever comes first", scenario(three(), kCrash), {yes(1), no(1)}, {succeeded, failed});
  add("sent again by whoever lost the answer", scenario(graph({S("w").approve(), S("v").after({0}).approve()}), {.crashes = 1, .duplicates = 1}),
      {yes(0)}, {running});
  add("a rejection that is observed", scenario(graph({S("w").approve().failed(lang::Settle{}), S("b").after({0})}), kCrash), {no(0)}, {succeeded});
  add("a rejection is not tried again", scenario(graph({S("w").approve().attempts(3)}), kCrash), {no(0)}, {failed});
  add("nobody answers in time: it fails", scenario(graph({S("w").approve(seconds{5}), S("b")}), kCrash), {}, {failed});
  add("nobody answers in time: it is approved", scenario(graph({S("w").approve(seconds{5}, approve), S("b").after({0})}), kCrash), {}, {succeeded});
  add("nobody answers in time: it is rejected", scenario(graph({S("w").approve(seconds{5}, reject)}), kCrash), {}, {failed});
  add("answered in time, or not", scenario(graph({S("w").approve(seconds{5}), S("b").after({0})}), kCrash), {yes(0)}, {succeeded, failed});
  add("the deadline of the step comes first", scenario(graph({S("w").deadline(seconds{3}).approve(seconds{5}, approve)}), kCrash), {}, {failed});
  add("the deadline of the chain comes while it waits, or behind", scenario(graph({S("w").approve(), S("z").finally()}), kCrash), {yes(0)},
      {succeeded, failed})
      .deadline = seconds{5};
  auto edit = yes(0);
  edit.arguments = inline_payload(R"({"n":2})");
  add("with other arguments", scenario(graph({S("w").approve(), S("b").after({0})}), kCrash), {edit}, {succeeded});
  add("cancelled while it waits", scenario(graph({S("a"), S("w").approve()}), {.crashes = 1, .cancels = 1}), {yes(1)}, {succeeded, cancelled});
  add("cancelled, then a retry asks again", scenario(graph({S("w").approve(), S("b").after({0})}), {.cancels = 1, .retries = 1}), {yes(0)},
      {succeeded, cancelled});
  add("rejected, then a retry asks again", scenario(graph({S("w").approve(), S("b").after({0})}), {.crashes = 1, .retries = 1}), {no(0), yes(0)},
      {succeeded, failed});
  add("out of time, then a retry asks again", scenario(graph({S("w").approve(seconds{5})}), {.crashes = 1, .retries = 1}), {yes(0)},
      {succeeded, failed});
  add("approved, and fails: neither attempts nor a retry ask again", scenario(graph({S("w").approve().attempts(2)}), {.crashes = 1, .retries = 1}),
      {yes(0)}, {succeeded, failed})
      .answers = answering(0, kFailed, kOk | kFatal);
  auto& anew = add("a retry from its beginning asks again", scenario(graph({S("w").approve(), S("b").after({0})}), {.retries = 1}), {yes(0)},
                   {succeeded, failed, running});
  anew.answers = answering(1, kEither, kOk);
  anew.wishes = {Retry{.anew = {0}}};
  add("paused while it waits", scenario(graph({S("a"), S("w").after({0}).approve()}), {.crashes = 1, .pauses = 1, .holds = 1}), {yes(1)},
      {succeeded});
  add("paused, and its time is over", scenario(graph({S("w").approve(seconds{5})}), {.crashes = 1, .pauses = 1}), {yes(0)}, {succeeded, failed});
  add("given in place of running it", scenario(graph({S("w").approve(), S("b").after({0})}), {.crashes = 1, .gifts = 1}), {yes(0)}, {succeeded});
  add("others fail", scenario(graph({S("a"), S("w").approve()}), kCrash), {yes(1)}, {succeeded, failed}).answers = answering(0, kEither, kEither);
  add("a final step waits", scenario(graph({S("a"), S("z").finally().approve()}), {.crashes = 1, .cancels = 1}), {yes(1)}, {succeeded, cancelled});
  add("killed while a final step waits", scenario(graph({S("a"), S("z").finally().approve()}), {.kills = 1}), {yes(1)}, {succeeded, cancelled});
  add("a child chain waits for approval to be started", scenario(graph({S("w").composes().approve()}), kCrash), {yes(0)}, {succeeded});
  add("a worker is lost with what was approved", scenario(graph({S("w").approve()}), {.losses = 1, .duplicates = 1}), {yes(0)}, {succeeded});
  add("a sequence comes back to the step",
      scenario(sequence({S("w").approve().ok(lang::Go{1}), S("b").ok(lang::Go{0}).failed(lang::FinishOk{})}), kCrash), {yes(0), yes(0)}, {succeeded})
      .answers = [](VisitId id, ItemIndex, unsigned) { return id.step == 1 && id.visit == 2 ? unsigned{kFatal} : unsigned{kOk}; };
  const auto both_items = IndexSet::range(0, 2);
  add("items are approved one by one", scenario(graph({S("w").each().approve()}), kCrash), {yes(0), yes(0, IndexSet::one(1))}, {succeeded});
  add("one item is rejected, and that is tolerated", scenario(graph({S("w").each().tolerate(1).approve(), S("b").after({0})}), kCrash),
      {no(0), yes(0, IndexSet::one(1))}, {succeeded});
  add("one item is rejected, and the others run on", scenario(graph({S("w").each().approve()}), kCrash), {yes(0, IndexSet::one(1)), no(0)}, {failed});
  add("one item is rejected, and what runs is cancelled", scenario(graph({S("w").each().approve()}, lang::FailurePolicy::cancel), {}),
      {yes(0, IndexSet::one(1)), no(0)}, {failed});
  add("items out of time, but for those that were approved", scenario(graph({S("w").each().tolerate(1).approve(seconds{5})}), kCrash),
      {yes(0, IndexSet::one(1))}, {succeeded, failed});
  add("a retry asks for the items that nobody approved", scenario(graph({S("w").each().approve()}), {.retries = 1}),
      {yes(0), no(0, IndexSet::one(1)), yes(0, IndexSet::one(1))}, {succeeded, failed});
  add("the first success settles, and others wait no more", scenario(graph({S("w").each(first_success).approve()}), kCrash), {yes(0)}, {succeeded});
  add("a list is shaped when all are answered", scenario(graph({S("w").each().tolerate(1).shaped().approve()}), kCrash),
      {yes(0), no(0, IndexSet::one(1))}, {succeeded});
  add("items in a window", scenario(graph({S("w").each().window(1).approve()}), kCrash), {yes(0, both_items)}, {succeeded});
  add("an item is given that waits", scenario(graph({S("w").each().approve()}), {.gifts = 1}), {yes(0, both_items)}, {succeeded});
  return cases;
}

}  // namespace

TEST_CASE("approvals keep every rule in every schedule", "[exhaustive]") { explore_all(approvals()); }

}  // namespace catena::engine::test
