// A chain as a picture: its definition as pinned, its graph, when what ran, and who ran a fan-out.
#include "api/handlers/handlers.hpp"
#include "api/reach.hpp"
#include "base/chain_labels.hpp"
#include "client/chain_diff.hpp"
#include "client/picture_records.hpp"

namespace catena::api {
namespace {

/// A step that the chain does not have: nothing is at that path.
Problem nothing_at(Error error) {
  Problem problem{std::move(error)};
  if (problem.error.code == Code::usage) problem.status = 404;
  return problem;
}

Result<coordinator::ItemWork> work_of(const Asked& asked, const Means& means, std::uint32_t slowest) {
  return means.questions.ask(
      coordinator::AskItemWork{.chain = asked.chain(), .step = asked.path.at("step"), .from = Sequence{asked.whole("from", 1)}, .slowest = slowest});
}

Json work_json(const coordinator::ItemWork& work) {
  Json json{{"visit", work.visit}, {"complete", work.next == Sequence{0}}};
  if (work.next != Sequence{0}) json["next"] = work.next;
  return json;
}

}  // namespace

Worked draw_chain(const Asked& asked, const Means& means) {
  const auto graph = means.questions.ask(coordinator::DrawChain{.chain = asked.chain()});
  if (!graph) return refuse(graph.error());
  return json_answer(client::to_json(*graph));
}

Worked diff_chains(const Asked& asked, const Means& means) {
  coordinator::DiffChains ask{.chain = asked.chain(), .other = ChainId{asked.text("with")}};
  if (ask.other.empty()) return refuse(Code::usage, "the parameter 'with' is missing: the id of the chain that it is compared with");
  if (!asked.namespace_.empty()) {
    const auto other = means.questions.ask(coordinator::DescribeChain{.chain = ask.other});
    if (!other && other.error().code != Code::chain_not_found) return refuse(other.error());
    if (!other || namespace_of(other->labels) != asked.namespace_) return refuse(no_chain_of_namespace(ask.other, asked.namespace_));
  }
  ask.from = static_cast<std::uint32_t>(asked.whole("from", 0));
  const auto diff = means.questions.ask(ask);
  if (!diff) return refuse(diff.error());
  return json_answer(client::to_json(*diff));
}

Worked read_definition(const Asked& asked, const Means& means) {
  const auto pinned =
      means.questions.ask(coordinator::ReadPinned{.chain = asked.chain(), .from = static_cast<std::uint32_t>(asked.whole("from", 0))});
  if (!pinned) return refuse(pinned.error());
  return json_answer(client::to_json(*pinned));
}

Worked tell_timeline(const Asked& asked, const Means& means) {
  coordinator::AskTimeline ask{.chain = asked.chain()};
  ask.from = static_cast<std::uint32_t>(asked.whole("from", 0));
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.step = asked.text("step");
  const auto timeline = means.questions.ask(ask);
  if (!timeline) return refuse(nothing_at(timeline.error()));
  return json_answer(client::to_json(*timeline));
}

Worked tell_slowest_items(const Asked& asked, const Means& means) {
  constexpr std::uint64_t kByDefault = 20;
  const auto work = work_of(asked, means, static_cast<std::uint32_t>(asked.whole("count", kByDefault)));
  if (!work) return refuse(nothing_at(work.error()));
  auto json = work_json(*work);
  json["items"] = Json::array();
  for (const auto& item : work->slowest) json["items"].push_back(client::to_json(item));
  return json_answer(json);
}

Worked tell_item_workers(const Asked& asked, const Means& means) {
  const auto work = work_of(asked, means, 0);
  if (!work) return refuse(nothing_at(work.error()));
  auto json = work_json(*work);
  json["workers"] = Json::array();
  for (const auto& share : work->workers) json["workers"].push_back(client::to_json(share));
  return json_answer(json);
}

}  // namespace catena::api
