// on_success and on_failure: what a step leaves in the state, and where the chain goes on.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/dialect/composite/composite_parts.hpp"
#include "lang/dialect/shared/dotted_key.hpp"
#include "lang/dialect/tool/tool_fields.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 3> kSuccessFields{"map_outputs", "next", "transform"};
constexpr std::array<std::string_view, 5> kFailureFields{"action", "max_retries", "continue_on_max_retries", "next", "backoff"};
constexpr std::array<std::string_view, 4> kBackoffFields{"initial_interval", "backoff", "max_interval", "jitter"};
constexpr std::uint32_t kRetriesDefault = 3;
constexpr std::uint32_t kRetriesMax = 1'000'000;

enum class Action { stop, go_on, retry };
constexpr ObjectReader::Choice<Action> kActions[] = {{"stop", Action::stop}, {"continue", Action::go_on}, {"retry", Action::retry}};

NextStep read_next(ObjectReader& reader) {
  if (!reader.non_empty_string("next")) return {};
  return {reader.any("next"), reader.what()};
}

void read_map_outputs(ObjectReader& reader, StepKind kind, Report& report, std::vector<StateWrite>& writes) {
  if (kind == StepKind::block && reader.has("map_outputs")) {
    reader.wrong(Code::fields_exclusive, "map_outputs",
                 "belongs to steps with 'tool': what the steps inside map is in the state afterwards; of a loop's rounds 'collect' makes a list",
                 reader.any("map_outputs")->where);
    return;
  }
  const auto* outputs = reader.of_kind("map_outputs", JsonKind::object);
  if (outputs == nullptr) return;
  const auto what = fmt::format("{}: map_outputs", reader.what());
  for (const auto& [source, where, value] : outputs->members) {
    auto path = split_at_dots(source);
    if (std::ranges::find(path, "") != path.end()) {
      report.error(Code::field_value, fmt::format("{}: '{}' must be a key of the response, or keys with dots between them", what, source), where);
      continue;
    }
    if (value.kind != JsonKind::string) {
      report.error(Code::field_type,
                   fmt::format("{}: '{}' must name the variable that takes the value, not be {}", what, source, with_article(value.kind)),
                   value.where);
      continue;
    }
    auto name = variable_name(value.scalar.get_ref<const std::string&>(), value.where, what + ": the variable", report);
    if (name) writes.push_back({std::move(*name), Expr{Ref{Root::response, 0, std::move(path), source}, where}});
  }
}

void read_transform(ObjectReader& reader, Report& report, std::vector<StateWrite>& writes) {
  const auto* transform = reader.of_kind("transform", JsonKind::object);
  if (transform == nullptr) return;
  StateTexts texts{reader.what(), report};
  for (const auto& member : transform->members) {
    auto value = texts.read(member.value, "transform." + member.key);
    auto name = variable_name(member.key, member.where, reader.what() + ": transform: the variable", report);
    if (name) writes.push_back({std::move(*name), std::move(value)});
  }
}

/// A number is the factor; an object says more.
void read_backoff(ObjectReader& reader, Report& report, RetryPolicy& policy) {
  const auto* node = reader.any("backoff");
  if (node == nullptr) return;
  if (node->kind == JsonKind::number) {
    policy.backoff = reader.number("backoff", 1, kBackoffMax).value_or(policy.backoff);
    return;
  }
  if (node->kind != JsonKind::object) {
    reader.wrong(Code::field_type, "backoff",
                 fmt::format("must be a number (by which the wait grows) or an object with {}, not {}", fmt::join(kBackoffFields, ", "),
                             with_article(node->kind)),
                 node->where);
    return;
  }
  ObjectReader inner{*node, reader.what() + ": backoff", report};
  inner.only(kBackoffFields);
  policy.initial_interval = inner.duration("initial_interval", Millis{0}).value_or(policy.initial_interval);
  policy.backoff = inner.number("backoff", 1, kBackoffMax).value_or(policy.backoff);
  policy.jitter = inner.number("jitter", 0, 1).value_or(policy.jitter);
  const auto most = inner.duration("max_interval", Millis{1});
  // A first interval beyond the default maximum is meant as it is written.
  policy.max_interval = most.value_or(std::max(policy.max_interval, policy.initial_interval));
  if (policy.max_interval < policy.initial_interval) {
    inner.wrong(Code::field_value, "max_interval", fmt::format("is shorter than 'initial_interval' ({})", to_string(policy.initial_interval)),
                inner.any("max_interval")->where);
  }
}

std::uint32_t read_max_retries(ObjectReader& reader) {
  const auto given = reader.count("max_retries", 0).value_or(kRetriesDefault);
  if (given <= kRetriesMax) return given;
  reader.wrong(Code::field_value, "max_retries", fmt::format("must be at most {}, not {}", kRetriesMax, given), reader.any("max_retries")->where);
  return kRetriesDefault;
}

/// Fields that mean nothing beside the action.
void refuse_beside(ObjectReader& reader, Action action, bool goes_on, Report& report) {
  if (action != Action::retry) {
    for (const auto* key : {"max_retries", "continue_on_max_retries", "backoff"}) {
      if (reader.has(key)) reader.wrong(Code::fields_exclusive, key, "belongs to 'action: retry'; add it, or leave this out", reader.any(key)->where);
    }
  }
  if (reader.has("next") && !goes_on) {
    const auto* hint = action == Action::retry ? "the chain fails once the retries are used up; 'continue_on_max_retries: true' goes on with it"
                                               : "the chain fails, which is what 'action: stop' means; 'action: continue' goes on with it";
    report.warn(Code::fields_exclusive, fmt::format("{}: 'next' is never reached: {}", reader.what(), hint), reader.any("next")->where);
  }
}

}  // namespace

OnSuccess read_on_success(ObjectReader& step, StepKind kind, Report& report) {
  OnSuccess made;
  const auto* node = step.of_kind("on_success", JsonKind::object);
  if (node == nullptr) return made;
  ObjectReader reader{*node, step.what() + ": on_success", report};
  reader.only(kSuccessFields);
  read_map_outputs(reader, kind, report, made.writes);
  read_transform(reader, report, made.writes);
  made.next = read_next(reader);
  return made;
}

OnFailure read_on_failure(ObjectReader& step, Report& report) {
  OnFailure made;
  const auto* node = step.of_kind("on_failure", JsonKind::object);
  if (node == nullptr) return made;
  ObjectReader reader{*node, step.what() + ": on_failure", report};
  reader.only(kFailureFields);
  made.next = read_next(reader);
  const auto chosen = reader.choice<Action>("action", kActions);
  if (!chosen && reader.has("action")) return made;  // reported; what stands beside it cannot be judged
  const auto action = chosen.value_or(made.next.node != nullptr ? Action::go_on : Action::stop);
  const bool goes_on_after_retries = reader.boolean("continue_on_max_retries").value_or(false);
  made.goes_on = action == Action::go_on || (action == Action::retry && goes_on_after_retries);
  refuse_beside(reader, action, made.goes_on, report);
  if (action != Action::retry) return made;
  RetryPolicy policy;
  policy.max_attempts = read_max_retries(reader) + 1;
  policy.any_failure = true;
  read_backoff(reader, report, policy);
  made.retry = policy;
  return made;
}

}  // namespace catena::lang
