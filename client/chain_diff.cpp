#include "client/chain_diff.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/time.hpp"

namespace catena::client {
namespace {

Json chain_json(const coordinator::DiffedChain& chain) {
  Json json{{"chain_id", chain.id.value},
            {"name", chain.name},
            {"status", engine::name(chain.status)},
            {"started_at", iso8601(chain.started_at)},
            {"package", chain.package}};
  if (chain.finished_at != 0) {
    json["finished_at"] = iso8601(chain.finished_at);
    json["duration_ms"] = std::max<UnixMillis>(chain.finished_at - chain.started_at, 0);
  }
  if (chain.error) json["error"] = catena::to_json(*chain.error);
  return json;
}

Json value_json(const coordinator::ValueDiff& diff) {
  Json json{{"same", diff.same}};
  if (diff.same) return json;
  json["in_full"] = diff.in_full;
  json["changes"] = Json::array();
  for (const auto& change : diff.how.changes) {
    Json one{{"path", change.path}};
    if (!change.first.empty()) one["first"] = change.first;
    if (!change.second.empty()) one["second"] = change.second;
    json["changes"].push_back(std::move(one));
  }
  if (diff.how.others != 0) json["more_changes"] = diff.how.others;
  return json;
}

Json definition_json(const coordinator::DefinitionDiff& definition) {
  auto json = value_json(definition.text);
  json.erase("same");
  json["path"] = definition.key;
  json["in"] = !definition.in_second ? "first" : !definition.in_first ? "second" : "both";
  return json;
}

Json visit_json(const coordinator::DiffedVisit& visit, bool fan_out) {
  Json json{{"status", engine::name(visit.status)}, {"visit", visit.visit}};
  if (visit.took_ms >= 0) json["took_ms"] = visit.took_ms;
  if (fan_out) json.update({{"items", visit.items}, {"ok", visit.ok}, {"failed", visit.failed}});
  if (visit.error) json["error"] = catena::to_json(*visit.error);
  return json;
}

Json step_json(const coordinator::StepDiff& step) {
  Json json{{"id", step.id}, {"differs", step.differs}};
  const bool fan_out = (step.first && step.first->items != 0) || (step.second && step.second->items != 0);
  if (step.first) json["first"] = visit_json(*step.first, fan_out);
  if (step.second) json["second"] = visit_json(*step.second, fan_out);
  if (!step.first || !step.second) return json;
  json["response"] = value_json(step.response);
  if (!fan_out) return json;
  const auto items = [](const IndexSet& set, std::uint32_t count) {
    Json told{{"count", count}, {"items", to_text(set)}};
    if (set.size() < count) told["more_items"] = true;
    return told;
  };
  json["failed_in_first_only"] = items(step.failed_in_first, step.failed_in_first_count);
  json["failed_in_second_only"] = items(step.failed_in_second, step.failed_in_second_count);
  json["responses_differ"] = items(step.responses_differ, step.responses_differ.size());
  json["responses_compared"] = step.responses_compared;
  return json;
}

}  // namespace

Result<coordinator::ChainDiff> whole_diff(Questions& questions, const ChainId& chain, const ChainId& other) {
  coordinator::DiffChains ask{.chain = chain, .other = other};
  auto whole = questions.ask(ask);
  while (whole && whole->next != 0) {
    ask.from = whole->next;
    auto page = questions.ask(ask);
    if (!page) return page;
    std::ranges::move(page->steps, std::back_inserter(whole->steps));
    whole->next = page->next;
  }
  return whole;
}

Json to_json(const coordinator::ChainDiff& diff) {
  Json json{{"first", chain_json(diff.first)}, {"second", chain_json(diff.second)}, {"definitions", Json::array()}, {"steps", Json::array()}};
  for (const auto& definition : diff.definitions) json["definitions"].push_back(definition_json(definition));
  if (diff.definitions_others != 0) json["more_definitions"] = diff.definitions_others;
  json["arguments"] = value_json(diff.arguments);
  json["context"] = value_json(diff.context);
  json["response"] = value_json(diff.response);
  for (const auto& step : diff.steps) json["steps"].push_back(step_json(step));
  if (diff.next != 0) json["next"] = diff.next;
  return json;
}

}  // namespace catena::client
