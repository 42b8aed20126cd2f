#include "coordinator/notifying.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/cut_text.hpp"
#include "base/hash.hpp"
#include "engine/phase.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kStepsTold = 200;
constexpr std::size_t kErrorTextMax = 300;           // bytes, of the error of a step
constexpr std::size_t kChainErrorMax = 16UL << 10U;  // bytes, of that of the chain with all that belongs to it
constexpr std::size_t kDigestDigits = 20;

/// With code and the beginning of its message alone where all of it would be too much.
std::string told_error(const Error& error, std::size_t bytes_max) {
  auto text = to_json_text(error);
  if (text.size() <= bytes_max) return text;
  return dump_lossy(Json{{"code", catena::name(error.code)}, {"message", std::string{cut_text(error.message, kErrorTextMax)}}});
}

Json told_step(const lang::Step& step, const engine::VisitState& visit) {
  Json json{{"id", step.id}, {"status", engine::name(visit.status)}, {"visit", visit.visit}, {"entered_at", iso8601(visit.entered_at)}};
  if (visit.fan_out) json["items"] = Json{{"total", visit.width}, {"ok", visit.ok.count()}, {"failed", visit.bad.count()}};
  if (visit.settled_at != 0) json["settled_at"] = iso8601(visit.settled_at);
  if (visit.error) json["error"] = Json::parse(told_error(*visit.error, kErrorTextMax * 2), nullptr, false);
  return json;
}

Json told_steps(const Notified& of, bool& more) {
  auto steps = Json::array();
  for (std::size_t at = 0; at < of.state.steps.size(); ++at) {
    if (of.state.steps[at].visit == 0) continue;
    more = steps.size() == kStepsTold;
    if (more) break;
    steps.push_back(told_step(of.program.steps[at], of.state.steps[at]));
  }
  return steps;
}

/// As `run -o json` has it; the response as it is written.
std::string told_chain(const Notified& of) {
  const auto& state = of.state;
  auto json =
      fmt::format(R"({{"chain_id":{},"name":{},"status":"{}")", dump_lossy(of.chain.value), dump_lossy(of.program.name), engine::name(state.status));
  if (!state.labels.empty()) json += R"(,"labels":)" + dump_lossy(Json(state.labels));
  if (state.response.in_blob()) {
    json += fmt::format(R"(,"response_bytes":{})", state.response.bytes);
  } else if (!state.response.empty()) {
    json += R"(,"response":)" + state.response.text;
  } else if (state.status == engine::ChainStatus::succeeded) {
    json += R"(,"response":null)";
  }
  if (state.status != engine::ChainStatus::succeeded && state.error) json += R"(,"error":)" + told_error(*state.error, kChainErrorMax);
  bool more = false;
  json += R"(,"steps":)" + dump_lossy(told_steps(of, more));
  if (more) json += R"(,"more_steps":true)";
  json += fmt::format(R"(,"started_at":"{}")", iso8601(state.started_at));
  if (state.finished_at != 0) json += fmt::format(R"(,"finished_at":"{}")", iso8601(state.finished_at));
  return json + "}";
}

std::string delivery_id(const storage::Notice& notice, std::string_view event, std::string_view receiver) {
  const auto digest = sha256_hex(fmt::format("{}\n{}\n{}\n{}", notice.chain.value, notice.sequence.value, event, receiver));
  return fmt::format("msg_{:011x}_{}", static_cast<std::uint64_t>(std::max<UnixMillis>(notice.at, 0)), digest.substr(0, kDigestDigits));
}

}  // namespace

std::string_view webhook_event_of(const storage::Notice& notice) {
  using enum storage::NoticeKind;
  switch (notice.kind) {
    case step_began:
    case step_settled: return {};
    case ended: return *std::ranges::find(kWebhookEvents, notice.status);
    case started:
    case paused:
    case resumed:
    case cancelling:
    case retried:
    case quarantined: return storage::name(notice.kind);
  }
  return {};
}

std::vector<NewDelivery> deliveries_of(const storage::Notice& notice, const Notified& of) {
  std::vector<NewDelivery> deliveries;
  const auto event = webhook_event_of(notice);
  if (event.empty() || !of.state.parent.empty()) return deliveries;
  std::string body;
  const auto deliver = [&](const Webhook& webhook, std::size_t number) {
    if (!wants(webhook, event)) return;
    if (body.empty()) body = fmt::format(R"({{"type":"chain.{}","timestamp":"{}","data":{}}})", event, iso8601(notice.at), told_chain(of));
    auto& made = deliveries.emplace_back();
    made.record.id = delivery_id(notice, event, fmt::format("{} {}", number, webhook.url));
    made.record.chain = of.chain;
    made.record.event = event;
    made.record.url = webhook.url;
    made.record.secret = webhook.secret;
    made.record.at = made.record.since = made.record.next_at = notice.at;
    made.body = body;
  };
  for (std::size_t at = 0; at < of.own.size(); ++at) deliver(of.own[at], at);
  for (std::size_t at = 0; at < of.standing.size(); ++at) {
    if (has_labels(of.state.labels, of.standing[at].labels)) deliver(of.standing[at].webhook, of.own.size() + at);
  }
  return deliveries;
}

}  // namespace catena::coordinator
