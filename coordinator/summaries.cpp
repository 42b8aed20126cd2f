#include "coordinator/summaries.hpp"

#include "base/cut_text.hpp"

namespace catena::coordinator {
namespace {

/// A tool's words may be long, and the index has them twice.
constexpr std::size_t kErrorBytesListed = 500;

/// A list that is filtered by context reads the index alone, as long as contexts are small.
constexpr std::size_t kContextBytesListed = 500;
constexpr const char* kContext = "context";
constexpr const char* kLargeContext = "context_large";
constexpr const char* kNotify = "notify";
constexpr const char* kDeadline = "deadline_at";

/// That `settled` is right while the chain runs, too.
constexpr const char* kCurrent = "current";

std::uint32_t number_in(const Json& extra, const char* member) {
  const auto found = extra.find(member);
  return found != extra.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : 0;
}

}  // namespace

storage::ChainSummary summary_of(const ChainId& chain, const std::string& name, const engine::ChainState& state, storage::Durability durability,
                                 std::int32_t priority) {
  storage::ChainSummary summary;
  summary.id = chain;
  summary.name = name;
  summary.status = engine::name(state.status);
  summary.package = state.package;
  summary.parent = state.parent.value;
  summary.started_at = state.started_at;
  summary.finished_at = state.finished_at;
  summary.last_sequence = state.seq;
  summary.labels = state.labels;
  summary.extra = Json::object();
  summary.extra["steps"] = state.steps.size();
  summary.extra["settled"] = state.steps.size() - state.unsettled;
  summary.extra[kCurrent] = true;
  summary.extra["definition"] = state.definition;
  summary.extra["durability"] = static_cast<int>(durability);
  if (priority != 0) summary.extra["priority"] = priority;
  if (state.deadline_at != 0) summary.extra[kDeadline] = state.deadline_at;
  if (state.error) {
    summary.extra["error"] = {{"code", catena::name(state.error->code)},
                              {"message", cut_text(state.error->message, kErrorBytesListed)},
                              {"retryable", state.error->retryable}};
  }
  const auto& context = state.context;
  const bool submitted = state.parent.empty() && !context.empty() && context.text != "{}" && context.text != "null";
  if (submitted && !context.in_blob() && context.text.size() <= kContextBytesListed) {
    summary.extra[kContext] = context.text;
  } else if (submitted) {
    summary.extra[kLargeContext] = true;
  }
  return summary;
}

storage::Durability durability_of(const storage::ChainSummary& summary) {
  const auto stored = summary.extra.is_object() ? summary.extra.value("durability", 0) : 0;
  return stored >= 0 && stored <= static_cast<int>(storage::Durability::none) ? static_cast<storage::Durability>(stored) : storage::Durability::sync;
}

std::int32_t priority_of(const storage::ChainSummary& summary) {
  const auto stored = summary.extra.is_object() ? summary.extra.find("priority") : summary.extra.end();
  return stored != summary.extra.end() && stored->is_number_integer() ? stored->get<std::int32_t>() : 0;
}

UnixMillis deadline_of(const storage::ChainSummary& summary) {
  const auto stored = summary.extra.is_object() ? summary.extra.find(kDeadline) : summary.extra.end();
  return stored != summary.extra.end() && stored->is_number_integer() ? stored->get<UnixMillis>() : 0;
}

StepCounts step_counts_of(const storage::ChainSummary& summary) {
  if (!summary.extra.is_object()) return {};
  return {number_in(summary.extra, "steps"), number_in(summary.extra, "settled"), summary.extra.contains(kCurrent)};
}

std::optional<Error> error_of(const storage::ChainSummary& summary) {
  if (!summary.extra.is_object()) return std::nullopt;
  const auto error = summary.extra.find("error");
  if (error == summary.extra.end()) return std::nullopt;
  auto told = error_from_json(*error);
  // Earlier versions did not write it.
  if (error->is_object() && !error->contains("retryable")) told.retryable = info(told.code).retryable;
  return told;
}

std::optional<std::string> context_of(const storage::ChainSummary& summary) {
  if (!summary.extra.is_object()) return std::nullopt;
  const auto context = summary.extra.find(kContext);
  if (context == summary.extra.end() || !context->is_string()) return std::nullopt;
  return context->get<std::string>();
}

void note_webhooks(storage::ChainSummary& summary, const std::vector<Webhook>& webhooks) {
  if (!webhooks.empty()) summary.extra[kNotify] = to_json(webhooks);
}

std::vector<Webhook> webhooks_of(const storage::ChainSummary& summary) {
  if (!summary.extra.is_object()) return {};
  const auto notify = summary.extra.find(kNotify);
  return notify == summary.extra.end() ? std::vector<Webhook>{} : webhooks_from_json(*notify).value_or(std::vector<Webhook>{});
}

bool has_large_context(const storage::ChainSummary& summary) { return summary.extra.is_object() && summary.extra.contains(kLargeContext); }

}  // namespace catena::coordinator
