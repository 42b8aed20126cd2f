#include "client/picture_records.hpp"

#include "base/time.hpp"
#include "lang/package/definition_name.hpp"

namespace catena::client {
namespace {

Json bar_json(const coordinator::TimeBar& bar) {
  Json json{{"kind", coordinator::name(bar.kind)}, {"attempt", bar.attempt}, {"from", iso8601(bar.from)}};
  if (bar.to != 0) json["to"] = iso8601(bar.to);
  if (!bar.worker.empty()) json["worker"] = bar.worker.value;
  if (bar.outcome) json["outcome"] = coordinator::name(*bar.outcome);
  return json;
}

Json row_json(const coordinator::TimeRow& row) {
  Json json{{"step", row.id}, {"visit", row.visit}, {"fan_out", row.fan_out}, {"from", iso8601(row.from)}, {"bars", Json::array()}};
  if (row.to != 0) json["to"] = iso8601(row.to);
  if (row.item) json["item"] = *row.item;
  if (row.bars_before != 0) json["bars_before"] = row.bars_before;
  if (row.fan_out) json.update({{"items", row.items}, {"ok", row.ok}, {"failed", row.failed}});
  for (const auto& bar : row.bars) json["bars"].push_back(bar_json(bar));
  return json;
}

}  // namespace

Json to_json(const coordinator::ChainGraph& graph) {
  Json json{{"nodes", Json::array()}, {"edges", Json::array()}};
  for (const auto& node : graph.nodes) {
    Json one{{"id", node.id}, {"label", node.label}, {"kind", lang::name(node.kind)}};
    if (!node.calls.empty()) one["calls"] = node.calls;
    if (!node.parent.empty()) one["parent"] = node.parent;
    if (node.conditional) one["conditional"] = true;
    if (node.finally) one["finally"] = true;
    json["nodes"].push_back(std::move(one));
  }
  for (const auto& edge : graph.edges) json["edges"].push_back({{"from", edge.from}, {"to", edge.to}, {"kind", lang::name(edge.kind)}});
  return json;
}

Json to_json(const coordinator::PinnedTexts& pinned) {
  Json json{{"root", lang::file_stem(pinned.root)}, {"definitions", Json::array()}};
  for (const auto& text : pinned.texts) {
    Json one{{"name", lang::file_stem(text.key)}, {"path", text.key}, {"hash", text.hash}, {"bytes", text.bytes}, {"text", text.text}};
    if (!text.dialect.empty()) one["dialect"] = text.dialect;
    if (text.key == pinned.root) one["root"] = true;
    if (!text.is_whole()) one["cut"] = true;
    json["definitions"].push_back(std::move(one));
  }
  if (pinned.next != 0) json["next"] = pinned.next;
  return json;
}

Json to_json(const coordinator::Timeline& timeline) {
  Json json{{"started_at", iso8601(timeline.started_at)}, {"now", iso8601(timeline.now)}, {"complete", timeline.complete}, {"rows", Json::array()}};
  if (timeline.finished_at != 0) json["finished_at"] = iso8601(timeline.finished_at);
  for (const auto& row : timeline.rows) json["rows"].push_back(row_json(row));
  json["critical_path"] = Json::array();
  for (const auto& part : timeline.critical_path) {
    Json one{{"step", part.id}, {"visit", part.visit}, {"from", iso8601(part.from)}};
    if (part.to != 0) one["to"] = iso8601(part.to);
    json["critical_path"].push_back(std::move(one));
  }
  if (timeline.next != 0) json["next"] = timeline.next;
  return json;
}

Json to_json(const coordinator::SlowItem& item) {
  return {{"index", item.item},
          {"status", coordinator::name(item.status)},
          {"attempts", item.attempts},
          {"took_ms", item.took_ms},
          {"worker", item.worker.value}};
}

Json to_json(const coordinator::WorkerShare& share) {
  return {{"worker", share.worker.value}, {"items", share.items}, {"failed", share.failed}, {"took_ms", share.took_ms}};
}

}  // namespace catena::client
