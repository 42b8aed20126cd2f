#include "api/preview.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/overloads.hpp"
#include "client/records.hpp"

namespace catena::api {
namespace {

constexpr std::size_t kDueTimesPreviewed = 5;

template <class Asked>
concept Checkable = requires(Asked& asked) {
  asked.only_check = true;
};

/// What is known of the chain. One that is not there is refused by whoever is asked.
void add_chain(Json& preview, const ChainId& chain, client::Questions& questions) {
  preview["chain_id"] = chain.value;
  if (const auto known = questions.ask(coordinator::DescribeChain{.chain = chain})) preview["status"] = engine::name(known->status);
}

/// Who goes with it. A family of more than one answer counts is told in part.
void add_descendants(Json& preview, const ChainId& chain, client::Questions& questions) {
  const auto family = questions.ask(coordinator::CountFamily{.chain = chain});
  if (!family) return;
  std::uint64_t chains = 0;
  for (const auto& count : family->counts) chains += count.chains;
  preview["descendants"] = chains;
  if (!family->cursor.empty()) preview["more_descendants"] = true;
}

Json preview_of(const actors::Submission& submission, client::Questions&) {
  const auto& package = *submission.package;
  Json preview{{"would", "submit"},       {"chain_id", submission.chain.value},   {"name", package.main().name},
               {"package", package.hash}, {"steps", package.main().steps.size()}, {"warnings", Json::array()}};
  for (const auto& warning : package.warnings) preview["warnings"].push_back(catena::to_json(warning));
  return preview;
}

Json preview_of(const actors::Control& control, client::Questions& questions) {
  Json preview = Json::object();
  add_chain(preview, control.chain, questions);
  const auto add_items = [&](const IndexSet& items) {
    if (!items.empty()) preview["items"] = to_text(items);
  };
  preview["would"] = std::visit(Overloads{
                                    [&](const engine::Cancel& cancel) {
                                      add_descendants(preview, control.chain, questions);
                                      return std::string_view{cancel.now ? "kill" : "cancel"};
                                    },
                                    [&](const engine::Substitute& given) {
                                      preview["step"] = control.step;
                                      add_items(given.items);
                                      return std::string_view{"skip"};
                                    },
                                    [&](const engine::Resolve& resolve) {
                                      add_items(resolve.items);
                                      return std::string_view{"resolve"};
                                    },
                                    [&](const engine::Pause&) {
                                      add_descendants(preview, control.chain, questions);
                                      return std::string_view{"pause"};
                                    },
                                    [&](const engine::Unpause&) {
                                      add_descendants(preview, control.chain, questions);
                                      return std::string_view{"unpause"};
                                    },
                                    [&](const engine::Amend& amend) {
                                      if (!control.step.empty()) preview["step"] = control.step;
                                      preview["terms"] = engine::words(amend.terms, amend.priority, amend.deadline);
                                      return std::string_view{"amend"};
                                    },
                                    [&](const engine::Signal& signal) {
                                      preview["name"] = signal.name;
                                      return std::string_view{"signal"};
                                    },
                                    [&](const engine::Approval& approval) {
                                      preview["step"] = control.step;
                                      add_items(approval.items);
                                      return std::string_view{approval.approved ? "approve" : "reject"};
                                    },
                                    [](const engine::Retry&) { return std::string_view{"retry"}; },
                                },
                                control.what);
  return preview;
}

Json preview_of(const actors::ForkChain& fork, client::Questions& questions) {
  auto preview = Json::object();
  if (const auto told = questions.ask(coordinator::PreviewFork{.chain = fork.source, .wish = fork.wish}))
    preview = client::to_json(fork.source, fork.chain, *told);
  preview["would"] = "fork";
  return preview;
}

Json preview_of(const actors::ResumeChain& resume, client::Questions& questions) {
  Json preview{{"would", "resume"}};
  add_chain(preview, resume.chain, questions);
  return preview;
}

Json preview_of(const actors::RemoveChains& remove, client::Questions& questions) {
  Json preview{{"would", "remove"}};
  for (const auto& chain : remove.chains) {
    add_chain(preview, chain, questions);
    add_descendants(preview, chain, questions);
  }
  return preview;
}

Json preview_of(const actors::NodeControl& control, client::Questions&) {
  using enum actors::NodeVerb;
  return {{"would", control.what == cordon ? "cordon" : control.what == uncordon ? "uncordon" : "drain"}, {"node", control.worker.value}};
}

Json preview_of(const actors::ReplayDelivery& replay, client::Questions&) { return {{"would", "replay_webhook"}, {"delivery", replay.id}}; }

Json preview_of(const actors::PutSchedule& put, client::Questions&) {
  Json preview{{"would", "put_schedule"}, {"name", put.name}, {"package", put.work->package->hash}, {"next", Json::array()}};
  if (const auto timetable = engine::timetable_of(put.plan)) {
    auto due = timetable->next_after(put.plan.anchor);
    for (std::size_t count = 0; due && count < kDueTimesPreviewed; ++count, due = timetable->next_after(*due))
      preview["next"].push_back(iso8601(*due));
  }
  return preview;
}

Json preview_of(const actors::OrderSchedule& order, client::Questions&) {
  return {{"would", fmt::format("{}_schedule", actors::name(order.verb))}, {"name", order.name}};
}

}  // namespace

Outcome<void> check_only(Errand& errand, client::Questions& questions) {
  return std::visit(Overloads{
                        [&](Checkable auto& asked) -> Outcome<void> {
                          asked.only_check = true;
                          errand.preview = preview_of(asked, questions);
                          return {};
                        },
                        [](auto&) -> Outcome<void> { return refuse(Code::internal, "this request cannot be validated without being carried out"); },
                    },
                    errand.what);
}

}  // namespace catena::api
