#include "coordinator/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/characters.hpp"
#include "base/limits.hpp"
#include "coordinator/kept_results.hpp"
#include "coordinator/sequence_result.hpp"
#include "coordinator/surroundings.hpp"
#include "lang/program/step_traits.hpp"
#include "lang/run/conditions.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/plan_result.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/transform.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

std::string calls(const lang::Step& step) { return "tool '" + tool_name(step) + '\''; }  // made for each item, and seldom read

/// What a person should know of an evaluation. What every item of a fan-out causes is said once, and no more than a person reads.
class Warnings {
 public:
  void add(std::vector<std::string> warnings) {
    for (auto& warning : warnings) {
      if (std::ranges::find(kept_, warning) != kept_.end()) continue;
      if (kept_.size() < kShown) {
        kept_.push_back(std::move(warning));
      } else {
        ++more_;
      }
    }
  }
  [[nodiscard]] std::vector<std::string> take() && {
    if (more_ > 0) kept_.push_back(fmt::format("… and {} more", more_));
    return std::move(kept_);
  }

 private:
  static constexpr std::size_t kShown = 20;
  std::vector<std::string> kept_;
  std::size_t more_ = 0;
};

/// Evaluating again gives the same.
Error final(Error error) {
  error.retryable = false;
  return error;
}

// An item's record where items vary: {"item": …} with one of these.
constexpr std::string_view kSet = "set";               // the arguments to set for it
constexpr std::string_view kSetStored = "set_stored";  // the same in a blob: [hash, bytes]
constexpr std::string_view kFailed = "error";          // its transforms failed

/// An item with what its transforms make of it. An error that is not the item's own (the store's) ends it all.
Result<void> append_varying(lang::Arguments& arguments, lang::JsonView item, Records& records, std::string& out) {
  auto set = arguments.of_item(item);
  out += R"({"item":)";
  out += item.text();
  if (!set) {
    if (set.error().code == Code::storage_io || set.error().code == Code::storage_corrupt) return fail(std::move(set.error()));
    out += fmt::format(R"(,"{}":{}}})", kFailed, lang::to_text(to_json(final(std::move(set.error())))).text);
    return {};
  }
  const auto payload = records.write(std::move(set->text));
  out += payload.in_blob() ? fmt::format(R"(,"{}":["{}",{}]}})", kSetStored, payload.blob, payload.bytes)
                           : fmt::format(R"(,"{}":{}}})", kSet, payload.text);
  return {};
}

/// Splits the list into input records of kItemsPerChunk items; `append(chunk, item)` adds one. Answers the number of items.
template <class Append>
Result<std::uint32_t> write_items(const ChainId& chain, VisitId visit, lang::JsonView list, Records& records, KeptResults& kept,
                                  const Append& append) {
  std::uint32_t count = 0;
  std::string chunk;
  Result<void> outcome;
  const auto flush = [&] {
    if (chunk.empty()) return;
    chunk += ']';
    storage::put_inputs_chunk(records.batch(), chain, visit, (count - 1) / kItemsPerChunk, chunk);
    chunk.clear();
    records.settle();
  };
  list.for_each_element([&](lang::JsonView item) {
    if (count % kItemsPerChunk == 0) flush();
    chunk += chunk.empty() ? '[' : ',';
    const auto begin = chunk.size();
    outcome = append(chunk, item);
    if (outcome && !kept.nothing_stays()) outcome = kept.compare_item(std::string_view{chunk}.substr(begin), records.batch());
    return ++count < limits::kFanOutWidthMax && outcome.has_value();
  });
  if (!outcome) return fail(std::move(outcome.error()));
  flush();
  return count;
}

Result<engine::Expand> expand(const lang::Step& step, const ChainId& chain, VisitId visit, const lang::Program& program, const ChainScope& scope,
                              lang::Arguments arguments, Records& records, Warnings& warnings, KeptResults& kept) {
  const auto over = lang::evaluate(step.each->over, program, scope);
  if (!over) return fail(over.error());
  const lang::JsonView list{*over};
  engine::Expand expanded;
  if (list.kind() == lang::JsonKind::list) {
    const auto plain = [](std::string& chunk, lang::JsonView item) {
      chunk += item.text();
      return Result<void>{};
    };
    const auto varying = [&](std::string& chunk, lang::JsonView item) {
      auto appended = append_varying(arguments, item, records, chunk);
      warnings.add(arguments.take_warnings());
      return appended;
    };
    const auto width =
        lang::items_vary(step) ? write_items(chain, visit, list, records, kept, varying) : write_items(chain, visit, list, records, kept, plain);
    if (!width) return fail(width.error());
    expanded.width = *width;
  } else if (list.kind() != lang::JsonKind::null) {  // a skipped step's list is empty
    if (step.gather) return fail(Code::not_a_list, fmt::format("'over' must give a list, and gave {}", name(list.kind())), step.each->over.where);
    return fail(Code::not_a_list, fmt::format("iterate_over must be a list, and is {}", name(list.kind())));
  }
  expanded.arguments = records.write(std::move(arguments).take_shared().text);
  expanded.same = std::move(kept).take();
  return expanded;
}

std::variant<engine::Skip, engine::Begin, engine::Expand, Error> outcome_of(const lang::Step& step, const ChainId& chain, VisitId visit,
                                                                            const lang::Program& program, const ChainScope& scope, Records& records,
                                                                            Warnings& warnings) {
  if (step.when) {
    auto verdict = lang::holds(*step.when, program, scope);
    if (!verdict) return verdict.error();
    warnings.add(std::move(verdict->warnings));
    if (!verdict->holds) return engine::Skip{};
  }
  auto arguments = lang::Arguments::of(step, program, scope);
  if (!arguments) return arguments.error();
  warnings.add(arguments->take_warnings());
  const auto environment = write_environment(step, chain, visit, program, scope, records);
  if (!environment) return environment.error();
  KeptResults kept{step, chain, visit, scope};
  if (step.each) {
    if (!kept.nothing_stays()) {
      if (auto read = kept.compare_shared(records.write(arguments->shared().text), *environment); !read) return read.error();
    }
    auto expanded = expand(step, chain, visit, program, scope, std::move(*arguments), records, warnings, kept);
    if (!expanded) return expanded.error();
    return std::move(*expanded);
  }
  auto checked = lang::check_arguments(std::move(*arguments).take_shared(), step.arguments, calls(step));
  if (!checked) {
    if (checked.error().code == Code::argument_missing) checked.error().message += step.when_missing;
    return checked.error();
  }
  engine::Begin begin{records.write(std::move(checked->text))};
  if (auto read = kept.compare_shared(begin.arguments, *environment); !read) return read.error();
  begin.same = kept.all();
  return begin;
}

/// {execution_id: response} of every step.
Result<std::string> all_responses(const lang::Program& program, const lang::Scope& scope) {
  std::string text = "{";
  for (StepIndex index = 0; index < program.steps.size(); ++index) {
    lang::Ref whole;
    whole.root = lang::Root::step;
    whole.step = index;
    whole.path = {"response"};
    whole.text = fmt::format("REF:{}.response", program.steps[index].id);
    const auto response = lang::evaluate(lang::Expr{whole, {}}, program, scope);
    if (!response) return fail(response.error());
    text += fmt::format("{}{}:{}", index == 0 ? "" : ",", Json(program.steps[index].id).dump(), response->text);
  }
  return text + "}";
}

}  // namespace

const std::string& tool_name(const lang::Step& step) {
  return std::visit([](const auto& call) -> const std::string& { return call.name; }, step.call);
}

engine::Evaluated evaluate_step(const lang::Program& program, const ChainId& chain, VisitId visit, const ChainScope& scope, Records& records) {
  engine::Evaluated evaluated;
  evaluated.visit = visit;
  Warnings warnings;
  evaluated.outcome = outcome_of(program.steps[visit.step], chain, visit, program, scope, records, warnings);
  evaluated.warnings = std::move(warnings).take();
  return evaluated;
}

namespace {

/// What a tool says of itself: {"success": false, "error": …}.
Result<void> check_success(const lang::JsonText& response, const lang::Step& step) {
  const lang::JsonView view{response};
  const auto success = view.kind() == lang::JsonKind::object ? view.find("success") : std::nullopt;
  if (!success || success->text() != "false") return {};
  const auto error = view.find("error");
  const auto message = error && error->kind() == lang::JsonKind::object ? error->find("message") : error;
  if (message && message->kind() == lang::JsonKind::string) return fail(Code::tool_failed, message->string());
  return fail(Code::tool_failed, fmt::format("{} answered that it had no success{}", calls(step),
                                             error && !error->is_null() ? fmt::format(": {}", error->text()) : std::string{}));
}

/// In their order; each sees what those before it wrote.
Result<void> evaluate_writes(const lang::Step& step, const lang::Program& program, ChainScope& scope, Records& records,
                             std::map<std::string, engine::Payload>& variables) {
  for (const auto& write : step.writes) {
    auto value = lang::evaluate(write.value, program, scope);
    if (!value) return fail(final(std::move(value.error())));
    scope.set_variable(write.name, *value);
    variables[write.name] = records.write(std::move(value->text));
  }
  return {};
}

}  // namespace

Result<Answered> evaluate_response(const lang::Program& program, StepIndex index, ChainScope& scope, lang::JsonText response, Records& records) {
  const auto& step = program.steps[index];
  Answered answered;
  if (step.shape && !step.each) {
    scope.set_response(std::move(response));
    auto shaped = lang::shape_response(step, program, scope);
    if (!shaped) return fail(final(std::move(shaped.error())));
    Warnings warnings;
    warnings.add(std::move(shaped->warnings));
    answered.warnings = std::move(warnings).take();
    response = std::move(shaped->value);
  }
  if (step.gather && step.each->join == lang::Join::first_success && lang::JsonView{response}.find("passed_over")) {
    return fail(Code::child_failed, "its step was skipped, or failed and was passed over, which is no success");
  }
  if (step.heeds_success) {
    if (auto succeeded = check_success(response, step); !succeeded) return fail(std::move(succeeded.error()));
  }
  if (auto checked = lang::check_response(response, step.responses, calls(step)); !checked) return fail(final(std::move(checked.error())));
  answered.response = std::move(response);
  if (step.writes.empty() || step.each) return answered;
  scope.set_response(answered.response);
  if (auto written = evaluate_writes(step, program, scope, records, answered.variables); !written) return fail(std::move(written.error()));
  return answered;
}

Result<std::map<std::string, engine::Payload>> evaluate_given(const lang::Program& program, StepIndex index, ChainScope& scope,
                                                              const lang::JsonText& response, Records& records) {
  const auto& step = program.steps[index];
  std::map<std::string, engine::Payload> variables;
  if (auto checked = lang::check_response(response, step.responses, calls(step)); !checked) return fail(std::move(checked).error());
  if (step.writes.empty() || step.each) return variables;
  scope.set_response(response);
  if (auto written = evaluate_writes(step, program, scope, records, variables); !written) return fail(std::move(written).error());
  return variables;
}

namespace {

/// What a round wrote; nothing of one that was not waited for or failed.
std::optional<lang::JsonView> written_by(const lang::JsonText& round) {
  const lang::JsonView view{round};
  return view.kind() == lang::JsonKind::object ? view.find("written") : std::nullopt;
}

/// The variables that the rounds of a block leave in the state around it, a round at a time.
Result<std::map<std::string, std::string>> gathered(const lang::Gather& gather, const lang::StepView& rounds) {
  std::map<std::string, std::string> values;
  if (gather.lists.empty() && !gather.state) return values;
  std::vector<std::string> lists(gather.lists.size(), "[");
  for (ItemIndex item = 0; item < rounds.width(); ++item) {
    const auto round = rounds.item(item);
    if (!round) return fail(round.error());
    const auto written = written_by(*round);
    for (std::size_t list = 0; list < lists.size(); ++list) {
      const auto value = written ? written->find(gather.lists[list]) : std::nullopt;
      lists[list] += item == 0 ? "" : ",";
      lists[list] += value ? value->text() : "null";
    }
    if (!gather.state || !written) continue;
    written->for_each_member([&](std::string_view name, lang::JsonView value) {
      values[std::string{name}] = value.text();
      return true;
    });
  }
  for (std::size_t list = 0; list < lists.size(); ++list) values[gather.lists[list]] = std::move(lists[list]) + "]";
  return values;
}

/// What the rounds leave, then the step's own writes, which see that.
Result<std::map<std::string, engine::Payload>> leave(const lang::Step& step, StepIndex index, const lang::Program& program, ChainScope& scope,
                                                     Records& records) {
  auto values = gathered(*step.gather, scope.step(index));
  if (!values) return fail(std::move(values.error()));
  std::map<std::string, engine::Payload> variables;
  for (auto& [name, value] : *values) {
    if (!step.writes.empty()) scope.set_variable(name, lang::JsonText{value});
    variables[name] = records.write(std::move(value));
  }
  if (auto written = evaluate_writes(step, program, scope, records, variables); !written) return fail(std::move(written.error()));
  return variables;
}

}  // namespace

engine::Shaped evaluate_shape(const lang::Program& program, VisitId visit, ChainScope& scope, Records& records) {
  engine::Shaped out;
  out.visit = visit;
  const auto& step = program.steps[visit.step];
  if (step.gather) {
    auto variables = leave(step, visit.step, program, scope, records);
    if (!variables) {
      out.outcome = variables.error();
      return out;
    }
    out.variables = std::move(*variables);
  }
  if (!step.shape) {
    out.outcome = engine::Payload{};
    return out;
  }
  lang::JsonText list{""};
  if (auto joined = scope.step(visit.step).append_items(list.text); !joined) {
    out.outcome = joined.error();
    return out;
  }
  scope.set_response(std::move(list));
  auto shaped = lang::shape_items(step, program, scope);
  if (!shaped) {
    out.outcome = final(std::move(shaped.error()));
    return out;
  }
  Warnings warnings;
  warnings.add(std::move(shaped->warnings));
  out.warnings = std::move(warnings).take();
  out.outcome = records.write(std::move(shaped->value.text));
  return out;
}

namespace {

Result<std::string> outputs_text(const OutputsOf& of, const ChainScope& scope) {
  struct Answer {
    const OutputsOf& of;
    const ChainScope& scope;
    Result<std::string> operator()(const lang::AllResponses&) const { return all_responses(of.program, scope); }
    Result<std::string> operator()(const lang::Expr& expr) const {
      auto response = lang::evaluate(expr, of.program, scope);
      if (!response) return fail(response.error());
      const auto checked = lang::check_response(*response, of.program.responses, fmt::format("'{}'", of.program.name));
      if (!checked) return fail(checked.error());
      return std::move(response->text);
    }
    Result<std::string> operator()(const lang::SequenceResult&) const {
      return sequence_result({of.package, of.program, of.chain, of.sources, of.rounds}, scope, !of.state.failing);
    }
    Result<std::string> operator()(const lang::BlockResult&) const { return block_result(of.program, of.state, of.sources); }
    Result<std::string> operator()(const lang::PlanResult& plan) const { return lang::plan_result(of.program, plan, scope); }
  };
  return std::visit(Answer{of, scope}, of.program.outputs);
}

}  // namespace

engine::OutputsEvaluated evaluate_outputs(const OutputsOf& of, Records& records) {
  const ChainScope scope{of.sources, of.chain, of.program, of.state};
  auto text = outputs_text(of, scope);
  if (!text) return {text.error()};
  return {records.write(std::move(*text))};
}

namespace {

/// As a JSON string. Names are mostly letters, which stand in it as they are.
void append_name(std::string_view name, std::string& out) {
  if (std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '_'; })) {
    out.append(1, '"').append(name).append(1, '"');
  } else {
    out += lang::to_text(Json(name)).text;
  }
}

/// An object in the making, as text. Of members with one name the first stands.
class Merged {
 public:
  void add(std::string_view key, std::string_view value) {
    if (!keys_.emplace(key).second) return;
    text_ += text_.size() == 1 ? "" : ",";
    append_name(key, text_);
    text_ += ':';
    text_ += value;
  }
  void add(lang::JsonView object) {
    object.for_each_member([&](std::string_view key, lang::JsonView value) {
      add(key, value.text());
      return true;
    });
  }
  [[nodiscard]] lang::JsonText take() && { return lang::JsonText{std::move(text_) + "}"}; }

 private:
  std::set<std::string, std::less<>> keys_;
  std::string text_ = "{";
};

/// What the transforms of an item set for it.
Result<lang::JsonText> set_of(lang::JsonView record, const storage::Kv& kv) {
  if (const auto failed = record.find(kFailed)) return fail(error_from_json(failed->parse()));
  if (const auto set = record.find(kSet)) return lang::JsonText{std::string{set->text()}};
  const auto stored = record.find(kSetStored);
  const auto hash = stored ? stored->at(0) : std::nullopt;
  const auto bytes = stored ? stored->at(1) : std::nullopt;
  if (!hash || !bytes) return fail(Code::storage_corrupt, "an input record of a fan-out is damaged");
  return read_payload(kv, {{}, hash->string(), bytes->parse().get<std::uint64_t>()});
}

/// Where transforms are at work: what they made for the item, then what they made for all, then the item itself.
Result<lang::JsonText> prepared_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view record, const storage::Kv& kv) {
  Merged merged;
  auto item = lang::JsonView{record};
  lang::JsonText set;
  if (lang::items_vary(step)) {
    auto own = set_of(item, kv);
    if (!own) return own;
    set = std::move(*own);
    merged.add(lang::JsonView{set});
    const auto inner = item.find("item");
    if (!inner) return fail(Code::storage_corrupt, "an input record of a fan-out is damaged");
    item = *inner;
  }
  merged.add(lang::JsonView{shared});
  merged.add(step.each->as, item.text());
  return std::move(merged).take();
}

/// What the rounds so far have written; empty before the first.
lang::JsonText carried_from(const lang::JsonText& before) {
  const auto written = written_by(before);
  if (!written) return lang::JsonText{""};
  Merged merged;
  merged.add(*written);
  if (const auto carried = lang::JsonView{before}.find("carried")) merged.add(*carried);
  return std::move(merged).take();
}

}  // namespace

Result<lang::JsonText> round_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view record, const lang::JsonText& before) {
  Merged merged;
  const auto carried = carried_from(before);
  if (!carried.text.empty()) merged.add("carried", carried.text);
  merged.add(step.each->as, record);
  merged.add(lang::JsonView{shared});
  return lang::check_arguments(std::move(merged).take(), step.arguments, calls(step));
}

Result<lang::JsonText> item_arguments(const lang::Step& step, const lang::JsonText& shared, std::string_view record, const storage::Kv& kv) {
  if (step.prepare) {
    auto prepared = prepared_arguments(step, shared, record, kv);
    if (!prepared) return prepared;
    return lang::check_arguments(std::move(*prepared), step.arguments, calls(step));
  }
  lang::JsonText arguments{""};
  arguments.text.reserve(shared.text.size() + record.size() + step.each->as.size() + 8);
  arguments.text = "{";
  append_name(step.each->as, arguments.text);
  arguments.text += ':';
  arguments.text += record;
  if (shared.text != "{}") arguments.text += ',';
  arguments.text.append(shared.text, 1);
  return lang::check_arguments(std::move(arguments), step.arguments, calls(step));
}

}  // namespace catena::coordinator
