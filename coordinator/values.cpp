#include "coordinator/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lang/program/step_traits.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {

Result<lang::JsonText> read_payload(const storage::Kv& kv, const engine::Payload& payload) {
  if (!payload.in_blob()) return lang::JsonText{payload.empty() ? "null" : payload.text};
  auto blob = storage::load_blob(kv, payload.blob, payload.bytes);
  if (!blob) return fail(blob.error());
  const bool whole = *blob && (payload.bytes == 0 || (*blob)->size() == payload.bytes);
  if (!whole) return fail(Code::storage_corrupt, fmt::format("the blob {} is missing from the data directory", payload.blob));
  return lang::JsonText{std::move(**blob)};
}

Result<lang::JsonText> read_item(const storage::Kv& kv, const ChainId& chain, VisitId visit, ItemIndex item) {
  const auto payload = storage::load_item(kv, chain, visit, item);
  if (!payload) return fail(payload.error());
  if (!*payload) return lang::JsonText{};
  auto record = storage::decode_item(**payload);
  if (!record) return fail(record.error());
  if (!record->ok) return lang::JsonText{};
  if (record->blob.empty()) return lang::JsonText{std::move(record->text)};
  return read_payload(kv, {{}, record->blob, 0});
}

/// A step's latest visit, as references see it.
class ChainScope::View final : public lang::StepView {
 public:
  View(const ChainScope& scope, StepIndex step) : scope_{scope}, step_{step}, visit_{scope.state_.steps[step]} {}

  [[nodiscard]] lang::StepStatus status() const override {
    using engine::VisitStatus;
    switch (visit_.status) {
      case VisitStatus::completed: return lang::StepStatus::completed;
      case VisitStatus::failed: return lang::StepStatus::failed;
      case VisitStatus::skipped: return lang::StepStatus::skipped;
      case VisitStatus::cancelled: return lang::StepStatus::cancelled;
      // To a final step, what will not run any more is like what was cut off.
      case VisitStatus::blocked: return winds_down(scope_.state_) ? lang::StepStatus::cancelled : lang::StepStatus::unsettled;
      case VisitStatus::running: return lang::StepStatus::unsettled;
    }
    return lang::StepStatus::unsettled;
  }
  [[nodiscard]] Json error() const override { return visit_.error ? to_json(*visit_.error) : Json(nullptr); }
  [[nodiscard]] Result<lang::JsonText> response() const override { return read_payload(scope_.sources_.kv, visit_.response); }
  [[nodiscard]] bool is_fan_out() const override { return scope_.program_.steps[step_].each.has_value(); }
  [[nodiscard]] std::uint32_t width() const override { return visit_.width; }

  [[nodiscard]] Result<lang::JsonText> item(std::uint32_t index) const override {
    auto payload = storage::load_item(scope_.sources_.kv, scope_.chain_, id(), index);
    if (!payload) return fail(payload.error());
    if (!*payload) return lang::JsonText{};  // it was not waited for
    lang::JsonText text{""};
    if (auto appended = append(**payload, text.text); !appended) return fail(appended.error());
    return text;
  }

  [[nodiscard]] Result<void> append_items(std::string& out) const override {
    out += '[';
    ItemIndex next = 0;
    Result<void> outcome;
    const auto nulls_up_to = [&](ItemIndex item) {
      for (; next < item; ++next) out += next == 0 ? "null" : ",null";
    };
    const auto scanned = storage::scan_items(scope_.sources_.kv, scope_.chain_, id(), 0, visit_.width, [&](ItemIndex item, std::string_view payload) {
      nulls_up_to(item);
      if (next++ > 0) out += ',';
      outcome = append(payload, out);
      return outcome.has_value();
    });
    if (!scanned) return scanned;
    if (!outcome) return outcome;
    nulls_up_to(visit_.width);
    out += ']';
    return {};
  }

  [[nodiscard]] Result<lang::JsonText> added() const override {
    return is_fan_out() ? read_payload(scope_.sources_.kv, visit_.response) : lang::JsonText{};
  }

 private:
  [[nodiscard]] VisitId id() const { return {step_, visit_.visit}; }

  /// The item's response, or what stands in a failed item's place.
  [[nodiscard]] Result<void> append(std::string_view payload, std::string& out) const {
    auto record = storage::decode_item(payload);
    if (!record) return fail(record.error());
    if (!record->ok) {
      const bool shows_error = scope_.program_.steps[step_].each->on_item_failure == lang::OnItemFailure::error;
      out += shows_error ? record->text : "null";
      return {};
    }
    if (record->blob.empty()) {
      out += record->text;
      return {};
    }
    const auto text = read_payload(scope_.sources_.kv, {{}, record->blob, 0});
    if (!text) return fail(text.error());
    out += text->text;
    return {};
  }

  const ChainScope& scope_;
  StepIndex step_;
  const engine::VisitState& visit_;
};

namespace {

void add_keys(const std::optional<lang::JsonView>& object, std::set<std::string>& names) {
  if (!object) return;
  object->for_each_member([&](std::string_view key, lang::JsonView) {
    names.emplace(key);
    return true;
  });
}

std::optional<lang::JsonText> text_of(const std::optional<lang::JsonView>& value) {
  if (!value) return std::nullopt;
  return lang::JsonText{std::string{value->text()}};
}

}  // namespace

ChainScope::ChainScope(const Sources& sources, const ChainId& chain, const lang::Program& program, const engine::ChainState& state)
    : sources_{sources}, chain_{chain}, program_{program}, state_{state} {}

ChainScope::~ChainScope() = default;

Result<lang::JsonText> ChainScope::input() const { return read_payload(sources_.kv, state_.arguments); }

Result<std::optional<lang::JsonText>> ChainScope::variable(std::string_view name) const {
  const std::string key{name};
  if (const auto fresh = fresh_.find(key); fresh != fresh_.end()) return fresh->second;
  if (const auto written = state_.variables.find(key); written != state_.variables.end()) return read_payload(sources_.kv, written->second);
  return initial(key);
}

std::vector<std::string> ChainScope::variable_names() const {
  std::set<std::string> names;
  for (const auto& [name, value] : state_.variables) names.insert(name);
  for (const auto& [name, value] : fresh_) names.insert(name);
  if (const auto arguments = input()) {
    const lang::JsonView given{*arguments};
    if (program_.block) {
      for (const auto* part : {"carried", "state"}) add_keys(given.find(part), names);
      if (!program_.block->item.empty()) names.insert(program_.block->item);
    } else {
      names.insert({"chain_id", "chain_name", "started_at"});
      for (const auto& field : program_.arguments.fields) names.insert(field.name);
      add_keys(given, names);
    }
  }
  return {names.begin(), names.end()};
}

/// What the state begins with, which no event repeats.
Result<std::optional<lang::JsonText>> ChainScope::initial(const std::string& name) const {
  if (!program_.block) {
    if (name == "chain_id") return lang::to_text(Json(chain_.value));
    if (name == "chain_name") return lang::to_text(Json(program_.name));
    if (name == "started_at") return lang::to_text(Json(iso8601(state_.started_at)));
  }
  if (!arguments_) {
    auto arguments = input();
    if (!arguments) return fail(arguments.error());
    arguments_ = std::move(*arguments);
  }
  const lang::JsonView given{*arguments_};
  const auto counts = std::ranges::any_of(program_.steps, [&](const lang::Step& step) { return step.retry_counter == name; });
  if (!program_.block) {
    if (auto found = text_of(given.find(name))) return found;
    if (program_.arguments.find(name) != nullptr) return lang::JsonText{};  // a parameter that was not given is null
    return counts ? std::optional{lang::JsonText{"0"}} : std::nullopt;
  }
  if (counts) return lang::JsonText{"0"};
  // The item before what the rounds before wrote: one that writes a variable of its name changes it for itself alone.
  if (!program_.block->item.empty() && name == program_.block->item) return text_of(given.find("item"));
  const auto carried = given.find("carried");
  if (auto found = carried ? carried->find(name) : std::nullopt) return text_of(found);
  const auto around = given.find("state");
  return text_of(around ? around->find(name) : std::nullopt);
}

const lang::StepView& ChainScope::step(StepIndex step) const {
  auto& view = views_[step];
  if (!view) view = std::make_unique<View>(*this, step);
  return *view;
}

Result<lang::JsonText> ChainScope::local(lang::Root root) const {
  if (root == lang::Root::response && response_) return *response_;
  if (root == lang::Root::context) return read_payload(sources_.kv, state_.context);
  return lang::JsonText{};
}

namespace {

bool in_store(const lang::Program& program, const engine::ChainState& state, std::vector<StepIndex> steps) {
  if (state.arguments.in_blob() || state.context.in_blob()) return true;
  if (std::ranges::any_of(state.variables, [](const auto& variable) { return variable.second.in_blob(); })) return true;
  return std::ranges::any_of(steps, [&](StepIndex step) { return program.steps[step].each || state.steps[step].response.in_blob(); });
}

std::vector<StepIndex> all_steps(const lang::Program& program) {
  std::vector<StepIndex> all(program.steps.size());
  for (StepIndex step = 0; step < all.size(); ++step) all[step] = step;
  return all;
}

}  // namespace

bool reads_store(const lang::Program& program, const engine::ChainState& state, StepIndex index) {
  const auto& step = program.steps[index];
  const bool compares = state.steps[index].former.has_value();
  return compares || in_store(program, state, lang::steps_seen(step)) || lang::reads_files(step);
}

bool response_reads_store(const lang::Program& program, const engine::ChainState& state, StepIndex index) {
  const auto& step = program.steps[index];
  if (step.shape && lang::reads_files(*step.shape)) return true;
  if (std::ranges::any_of(step.writes, [](const auto& write) { return lang::reads_files(write.value); })) return true;
  if (step.shape && lang::shape_sees_chain(step)) return in_store(program, state, all_steps(program));
  std::vector<StepIndex> seen;
  for (const auto& write : step.writes) {
    const auto steps = lang::steps_referenced(write.value);
    seen.insert(seen.end(), steps.begin(), steps.end());
  }
  return !step.writes.empty() && in_store(program, state, std::move(seen));
}

bool outputs_read_store(const lang::Program& program, const engine::ChainState& state) {
  if (const auto* expr = std::get_if<lang::Expr>(&program.outputs)) {
    return in_store(program, state, lang::steps_referenced(*expr)) || lang::reads_files(*expr);
  }
  if (std::holds_alternative<lang::SequenceResult>(program.outputs)) return true;  // the history is in the journal
  return in_store(program, state, all_steps(program));
}

}  // namespace catena::coordinator
