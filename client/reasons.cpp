#include "client/reasons.hpp"

namespace catena::client {
namespace {

using engine::Reason;
using engine::ReasonCode;

/// Chains of one status that are counted.
constexpr std::uint64_t kCountedMost = 100'000;

bool is_due(ReasonCode code) { return code == ReasonCode::backoff || code == ReasonCode::deadline; }

Result<void> add_group(Questions& questions, engine::ChainStatus status, ReasonCode code, std::vector<actors::QueueGroup>& groups) {
  const auto chains = count_chains(questions, {.statuses = {status}}, kCountedMost);
  if (!chains) return fail(chains.error());
  if (*chains == 0) return {};
  auto& group = groups.emplace_back(actors::QueueGroup{.reason = {.code = code}, .chains = *chains});
  return for_each_chain(questions, {.statuses = {status}}, actors::kQueueExamples, [&](const coordinator::ListedChain& chain) {
    group.some.push_back(chain.id);
    return true;
  });
}

/// Of several chains: what a reason says of one of them would be wrong of the others.
std::string group_words(const actors::QueueGroup& group) {
  if (group.reason.code == ReasonCode::paused) return "paused by a person";
  if (group.reason.code == ReasonCode::quarantined) return "set aside because of a defect";
  return engine::words(group.reason, group.some.empty() ? ChainId{} : group.some.front());
}

}  // namespace

Result<Explanation> explain(Questions& questions, ChainsPort* chains, const coordinator::AskWaits& ask) {
  auto known = questions.ask(ask);
  if (!known) return fail(std::move(known).error());
  Explanation told{ask.chain, known->status, known->now, std::move(known->reasons)};
  if (!known->workers_decide) return told;
  if (chains == nullptr) {
    told.reasons.push_back({.code = ReasonCode::not_running});
  } else {
    auto live = chains->explain(ask.chain, ask.step);
    if (!live) return fail(std::move(live).error());
    for (auto& reason : *live) told.reasons.push_back(std::move(reason));
  }
  engine::arrange(told.reasons);
  return told;
}

Result<std::vector<actors::QueueGroup>> queue_of_index(Questions& questions) {
  std::vector<actors::QueueGroup> groups;
  if (auto added = add_group(questions, engine::ChainStatus::quarantined, ReasonCode::quarantined, groups); !added)
    return fail(std::move(added).error());
  if (auto added = add_group(questions, engine::ChainStatus::paused, ReasonCode::paused, groups); !added) return fail(std::move(added).error());
  return groups;
}

Json to_json(const Reason& reason, const ChainId& chain) {
  Json json{{"code", engine::name(reason.code)}, {"message", engine::words(reason, chain)}};
  if (!reason.step.empty()) json["step"] = reason.step;
  if (reason.item) json["item"] = *reason.item;
  if (!reason.worker.empty()) json["worker"] = reason.worker.value;
  if (!reason.chain.empty()) json["chain"] = reason.chain.value;
  if (reason.until != 0) json["until"] = iso8601(reason.until);
  if (reason.at != 0) json[is_due(reason.code) ? "until" : "since"] = iso8601(reason.at);
  Json details = Json::object();
  if (!reason.names.empty()) details["names"] = reason.names;
  if (reason.count != 0) details["count"] = reason.count;
  if (!reason.by.empty()) details["by"] = reason.by;
  if (!reason.text.empty()) details["text"] = reason.text;
  if (reason.error) details["error"] = catena::to_json(*reason.error);
  if (!details.empty()) json["details"] = std::move(details);
  return json;
}

Json reasons_json(const std::vector<Reason>& reasons, const ChainId& chain, engine::ChainStatus status) {
  Json json{{"chain_id", chain.value}, {"status", engine::name(status)}, {"reasons", Json::array()}};
  for (const auto& reason : reasons) json["reasons"].push_back(to_json(reason, chain));
  return json;
}

Json to_json(const std::vector<actors::QueueGroup>& groups) {
  Json json{{"reasons", Json::array()}};
  for (const auto& group : groups) {
    Json row{{"code", engine::name(group.reason.code)}, {"message", group_words(group)}, {"chains", group.chains}, {"some", Json::array()}};
    if (group.orders != 0) row["orders"] = group.orders;
    for (const auto& chain : group.some) row["some"].push_back(chain.value);
    json["reasons"].push_back(std::move(row));
  }
  return json;
}

}  // namespace catena::client
