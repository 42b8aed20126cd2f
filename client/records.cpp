#include "client/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/cut_text.hpp"
#include "base/time.hpp"
#include "base/webhooks.hpp"
#include "coordinator/stored_definitions.hpp"
#include "lang/program/value_check.hpp"

namespace catena::client {
namespace {

constexpr double kMilli = 1000.0;
constexpr std::array kRepairActions{"stays", "runs", "compared", "anew", "waits"};
static_assert(kRepairActions.size() == count_of(coordinator::RepairAction{}));
constexpr std::array kRepairCauses{"none", "failed", "cancelled", "asked", "behind", "tool", "arguments", "nested", "added", "last"};
static_assert(kRepairCauses.size() == count_of(coordinator::RepairCause{}));

/// The steps, and which is the first that is not among them; 0: all are.
struct StepList {
  Json steps = Json::array();
  StepIndex next = 0;
};
Result<StepList> steps_of(Questions& questions, const ChainId& chain, const RecordLimits& limits) {
  StepList list;
  coordinator::ListSteps ask{.chain = chain, .epoch = limits.epoch};
  do {
    const auto page = questions.ask(ask);
    if (!page) return fail(page.error());
    for (const auto& row : page->steps) list.steps.push_back(to_json(row));
    ask.from = list.next = page->next;
  } while (limits.all_steps && ask.from != 0);
  return list;
}

}  // namespace

Json to_json(const coordinator::ListedChain& chain, UnixMillis now) {
  const auto end = chain.finished_at != 0 ? chain.finished_at : now;
  Json json{{"chain_id", chain.id.value},
            {"name", chain.name},
            {"status", engine::name(chain.status)},
            {"started_at", iso8601(chain.started_at)},
            {"duration_ms", std::max<UnixMillis>(end - chain.started_at, 0)},  // the clock may have been set back since it started
            {"steps", {{"settled", chain.steps_settled}, {"total", chain.steps}}}};
  if (chain.finished_at != 0) json["finished_at"] = iso8601(chain.finished_at);
  if (chain.deadline_at != 0) json["deadline"] = iso8601(chain.deadline_at);
  if (!chain.parent.empty()) json["parent"] = chain.parent.value;
  if (chain.error) json["error"] = catena::to_json(*chain.error);
  if (!chain.labels.empty()) json["labels"] = chain.labels;
  if (!chain.context.empty()) json["context"] = Json::parse(chain.context, nullptr, false);
  return json;
}

Json to_json(const coordinator::HistoryEvent& event) {
  auto json = Json::parse(event.json, nullptr, false);
  if (!json.is_object()) json = Json::object();
  json["seq"] = event.sequence;
  json["time"] = iso8601(event.at);
  json["text"] = event.text;
  return json;
}

Json to_json(const coordinator::LogRow& row) {
  Json json{{"number", row.number},    {"step", row.step},     {"visit", row.visit}, {"attempt", row.attempt}, {"stream", actors::name(row.stream)},
            {"time", iso8601(row.at)}, {"offset", row.offset}, {"text", row.text}};
  if (row.item) json["item"] = *row.item;
  return json;
}

Json to_json(const coordinator::ErrorGroup& group) {
  constexpr std::size_t kMessageMax = 4UL << 10U;
  constexpr std::size_t kSamples = 5;
  auto error = group.error;
  error.message = cut_text(error.message, kMessageMax);
  Json json{{"kind", group.kind}, {"count", group.count}, {"first", group.first}, {"error", catena::to_json(error)}};
  json["sample"] = Json::array();
  for (const auto& run : group.items.ranges()) {
    json["items"].push_back({run.first, run.last - run.first});
    for (auto item = run.first; item < run.last && json["sample"].size() < kSamples; ++item) json["sample"].push_back(item);
  }
  if (group.items.size() < group.count) json["more_items"] = true;
  return json;
}

Json to_json(const coordinator::FeedRow& row) {
  const auto& notice = row.notice;
  Json json{{"number", row.number},    {"kind", storage::name(notice.kind)}, {"chain_id", notice.chain.value}, {"name", notice.definition},
            {"status", notice.status}, {"time", iso8601(notice.at)},         {"seq", notice.sequence}};
  if (!notice.namespace_.empty()) json["namespace"] = notice.namespace_;
  if (!notice.step.empty()) json["step"] = notice.step;
  if (notice.visit != 0) json["visit"] = notice.visit;
  if (!notice.code.empty()) json["error"] = Json{{"code", notice.code}, {"message", notice.message}};
  return json;
}

Json to_json(const coordinator::AuditRow& row) {
  const auto& entry = row.entry;
  Json by{{"via", storage::name(entry.by.via)}};
  if (!entry.by.name.empty()) by["name"] = entry.by.name;
  if (!entry.by.id.empty()) by["id"] = entry.by.id;
  Json json{{"number", row.number}, {"time", iso8601(entry.at)}, {"by", std::move(by)}, {"act", entry.act}};
  if (!entry.subject.empty()) json["subject"] = entry.subject;
  if (!entry.detail.empty()) json["detail"] = entry.detail;
  if (!entry.reason.empty()) json["reason"] = entry.reason;
  return json;
}

Json to_json(const storage::Delivery& delivery) {
  Json json{{"id", delivery.id},       {"state", storage::name(delivery.state)}, {"chain_id", delivery.chain.value},
            {"event", delivery.event}, {"url", server_of(delivery.url)},         {"time", iso8601(delivery.at)},
            {"tries", delivery.tries}};
  if (!delivery.secret.empty()) json["secret"] = delivery.secret;
  if (delivery.next_at != 0) json["next_try"] = iso8601(delivery.next_at);
  if (delivery.status != 0) json["status"] = delivery.status;
  if (!delivery.error.empty()) json["error"] = delivery.error;
  return json;
}

Json to_json(const actors::NodeInfo& node) {
  Json json{{"id", node.id.value},
            {"address", node.address},
            {"incarnation", node.incarnation},
            {"labels", node.labels},
            {"kinds", node.kinds},
            {"capabilities", node.capabilities},
            {"tool_roots", node.tool_roots},
            {"slots", {{"used", node.used}, {"total", node.slots}}},
            {"running", node.running},
            {"queued", node.queued},
            {"rate", static_cast<double>(node.rate_milli) / kMilli},
            {"version", node.version},
            {"state", node.lost_ms < 0 ? engine::name(node.state) : "lost"}};
  if (node.lost_ms >= 0) json["lost_ms"] = node.lost_ms;
  if (node.heartbeat_age_ms >= 0) json["heartbeat_age_ms"] = node.heartbeat_age_ms;
  return json;
}

namespace {

Json steps_json(const std::vector<coordinator::RepairRow>& rows) {
  auto steps = Json::array();
  for (const auto& row : rows) {
    Json step{{"id", row.step}, {"action", kRepairActions.at(static_cast<std::size_t>(row.action))}};
    if (row.cause != coordinator::RepairCause::none) step["cause"] = kRepairCauses.at(static_cast<std::size_t>(row.cause));
    if (!row.behind.empty()) step["behind"] = row.behind;
    if (row.fan_out) step["items"] = Json{{"run", row.items}, {"of", row.width}};
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

Json to_json(const ChainId& chain, const coordinator::RepairPreview& preview) {
  return {{"chain_id", chain.value}, {"takes_up_changes", preview.other_package}, {"steps", steps_json(preview.steps)}};
}

Json to_json(const ChainId& source, const ChainId& chain, const coordinator::ForkPreview& preview) {
  return {{"chain_id", chain.value}, {"forked_from", {{"chain_id", source.value}, {"seq", preview.shared}}}, {"steps", steps_json(preview.steps)}};
}

std::optional<Json> forked_json(const coordinator::ChainDescription& chain) {
  if (chain.forked_from.empty()) return std::nullopt;
  return Json{{"chain_id", chain.forked_from.value}, {"seq", chain.forked_at}};
}

Json to_json(const coordinator::SaidOfTask& said) {
  Json json{{"attempt", said.attempt}};
  if (said.done >= 0) json["done"] = said.done;
  if (said.of >= 0) json["of"] = said.of;
  if (!said.text.empty()) json["text"] = said.text;
  if (said.said_at != 0) json["said_at"] = iso8601(said.said_at);
  if (said.checkpoint_at != 0) json["checkpoint"] = {{"at", iso8601(said.checkpoint_at)}, {"bytes", said.checkpoint_bytes}};
  if (!said.usage.empty()) json["usage"] = said.usage;
  return json;
}

Json to_json(const coordinator::ItemRow& row) {
  Json json{{"item", row.item}, {"status", coordinator::name(row.status)}};
  if (row.failed_attempts != 0) json["failed_attempts"] = row.failed_attempts;
  if (!row.response.empty()) json["response"] = Json::parse(row.response, nullptr, false);
  if (row.value.bytes > 0) {
    auto value = row.value.is_whole() ? Json::parse(row.value.text, nullptr, false) : Json(row.value.text);
    json[row.value.is_whole() ? "value" : "value_begins"] = std::move(value);
  }
  if (row.said) json["said"] = to_json(*row.said);
  if (row.error) json["error"] = catena::to_json(*row.error);
  return json;
}

Json to_json(const lang::FileVersion& file) {
  return {{"path", file.path},   {"version_id", file.version_id}, {"size", file.size},         {"added_on", iso8601(file.added_on)},
          {"owner", file.owner}, {"group", file.group},           {"metadata", file.metadata}, {"sha256", file.sha256}};
}

Json definition_json(const lang::FileVersion& file) {
  Json json{{"name", coordinator::definition_at(file.path)},
            {"version", file.version_id},
            {"bytes", file.size},
            {"stored_at", iso8601(file.added_on)},
            {"sha256", file.sha256}};
  if (!file.owner.empty()) json["stored_by"] = file.owner;
  for (const auto* member : {"dialect", "description"}) {
    if (file.metadata.contains(member)) json[member] = file.metadata.at(member);
  }
  return json;
}

Json fields_json(const lang::Schema& schema) {
  Json fields = Json::array();
  for (const auto& field : schema.fields) {
    Json json{{"name", field.name}, {"type_name", lang::word(field.type)}, {"required", field.required}};
    if (!field.description.empty()) json["description"] = field.description;
    if (field.default_value) json["default_value"] = *field.default_value;
    if (!field.allowed.empty()) json["enum"] = field.allowed;
    fields.push_back(std::move(json));
  }
  return fields;
}

std::optional<Json> paused_json(const coordinator::ChainDescription& chain) {
  if (chain.paused_at == 0) return std::nullopt;
  Json json{{"since", iso8601(chain.paused_at)}};
  if (!chain.paused_by.empty()) json["by"] = chain.paused_by;
  if (!chain.pause_reason.empty()) json["reason"] = chain.pause_reason;
  if (chain.paused_above) json["with_parent"] = true;
  return json;
}

Result<ChainRecord> chain_record(Questions& questions, const ChainId& chain, const RecordLimits& limits) {
  auto known = questions.ask(coordinator::DescribeChain{.chain = chain, .epoch = limits.epoch});
  if (!known) return fail(std::move(known).error());
  const auto list = steps_of(questions, chain, limits);
  if (!list) return fail(list.error());
  ChainRecord record{std::move(*known), {}};
  const auto& about = record.chain;
  record.json =
      fmt::format(R"({{"chain_id":{},"name":{},"status":"{}")", dump_lossy(about.chain.value), dump_lossy(about.name), engine::name(about.status));
  if (!about.parent.empty()) record.json += fmt::format(R"(,"parent":{})", dump_lossy(about.parent.value));
  if (const auto forked = forked_json(about)) record.json += fmt::format(R"(,"forked_from":{})", dump_lossy(*forked));
  if (!about.labels.empty()) record.json += fmt::format(R"(,"labels":{})", dump_lossy(Json(about.labels)));
  if (const auto paused = paused_json(about)) record.json += fmt::format(R"(,"paused":{})", dump_lossy(*paused));
  // A plan or a sequence that failed has a response as well, which says how far it came.
  if (about.response.bytes > limits.response_bytes_max) {
    record.json += fmt::format(R"(,"response_bytes":{})", about.response.bytes);
  } else if (about.response.bytes > 0) {
    const coordinator::ReadValue ask{.chain = chain, .what = coordinator::ValueOf::response, .epoch = limits.epoch};
    const auto response = read_value(questions, ask, about.response);
    if (!response) return fail(response.error());
    record.json += R"(,"response":)" + response->text;
  } else if (about.status == engine::ChainStatus::succeeded) {
    record.json += R"(,"response":null)";
  }
  if (about.status != engine::ChainStatus::succeeded && about.error) record.json += R"(,"error":)" + to_json_text(*about.error);
  record.json += fmt::format(R"(,"steps":{},"started_at":"{}")", dump_lossy(list->steps), iso8601(about.started_at));
  if (list->next != 0) record.json += fmt::format(R"(,"steps_next":{})", list->next);
  if (about.deadline_at != 0) record.json += fmt::format(R"(,"deadline":"{}")", iso8601(about.deadline_at));
  if (about.finished_at != 0) record.json += fmt::format(R"(,"finished_at":"{}")", iso8601(about.finished_at));
  if (limits.epoch != 0) record.json += fmt::format(R"(,"epoch":{})", limits.epoch);
  if (!about.trace.empty()) record.json += fmt::format(R"(,"trace_id":{})", dump_lossy(about.trace));
  record.json += "}";
  return record;
}

}  // namespace catena::client
