#include "lang/dialect/composite/composite_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/characters.hpp"
#include "lang/dialect/composite/composite_parts.hpp"
#include "lang/dialect/shared/spelling.hpp"
#include "lang/dialect/tool/tool_arguments.hpp"
#include "lang/dialect/tool/tool_fields.hpp"
#include "lang/dialect/tool/tool_parts.hpp"
#include "lang/dialect/tool/tool_step.hpp"
#include "lang/program/state_uses.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kEnd = "end";
constexpr std::array<std::string_view, 3> kKinds{"tool", "loop", "parallel"};
constexpr std::array<std::string_view, 16> kToolFields{"tool",       "name",  "description", "inputs",           "when",   "on_success",
                                                       "on_failure", "retry", "timeout",     "deadline",         "effect", "needs",
                                                       "env",        "cwd",   "approve",     "heartbeat_timeout"};
constexpr std::array<std::string_view, 6> kLoopStepFields{"loop", "name", "description", "when", "on_success", "on_failure"};
constexpr std::array<std::string_view, 7> kParallelFields{"parallel", "wait_for", "name", "description", "when", "on_success", "on_failure"};
constexpr std::array<std::string_view, 5> kLoopFields{"over", "as", "steps", "max_concurrency", "collect"};

const Node* string_at(const Node& object, std::string_view key) {
  const auto* node = object.kind == JsonKind::object ? object.find(key) : nullptr;
  return node != nullptr && node->kind == JsonKind::string && !node->scalar.get_ref<const std::string&>().empty() ? node : nullptr;
}

/// What people and `next` call a step: its name, else its tool, else what kind of step it is. Empty when it says nothing of it.
std::string composite_step_name(const Node& step) {
  for (const auto* key : {"name", "tool"}) {
    if (const auto* node = string_at(step, key)) return node->scalar.get<std::string>();
  }
  if (step.kind != JsonKind::object) return {};
  return step.find("loop") != nullptr ? "loop" : step.find("parallel") != nullptr ? "parallel" : "";
}

/// A name as an id, which goes into keys of attempts and ids of chains.
std::string id_of(std::string_view name, std::set<std::string>& taken) {
  std::string id{name.empty() ? "step" : name};
  std::ranges::replace_if(id, std::not_fn(in_id), '_');
  auto free = id;
  for (std::size_t number = 2; !taken.insert(free).second; ++number) free = fmt::format("{}-{}", id, number);
  return free;
}

/// A list, as far as it can be known before the chain runs.
bool may_be_list(const Expr& over) {
  const auto* literal = std::get_if<Literal>(&over.node);
  return literal == nullptr || literal->value.is_array();
}

class SequenceReader {
 public:
  SequenceReader(const Node& list, Around around, std::string path, Composite& composite)
      : list_{list}, around_{around}, path_{std::move(path)}, composite_{composite}, report_{composite.report} {}

  Program read() {
    std::set<std::string> taken;
    for (const auto& node : list_.items) {
      names_.push_back(composite_step_name(node));
      ids_.push_back(id_of(names_.back(), taken));
    }
    Program program;
    program.entry = 0;
    program.responses.additional = true;
    for (StepIndex index = 0; index < list_.items.size(); ++index) program.steps.push_back(read_step(index));
    composite_.jumps[path_] = std::move(jumps_);
    return program;
  }

 private:
  Step read_step(StepIndex index) {
    const auto& node = list_.items[index];
    Step step;
    step.id = ids_[index];
    step.name = names_[index].empty() ? step.id : names_[index];
    step.gate = OnEntry{};
    step.where = node.where;
    step.bind = Expr{ObjectExpr{}, node.where};
    jumps_.emplace_back();
    if (node.kind != JsonKind::object) {
      report_.error(Code::field_type, fmt::format("{} must be an object, not {}", said(index), with_article(node.kind)), node.where);
      return step;
    }
    ObjectReader reader{node, said(index), report_};
    check_name(reader);
    static_cast<void>(reader.string("description"));
    switch (kind_of(reader)) {
      case Kind::unclear: break;
      case Kind::tool: read_tool(reader, index, step); break;
      case Kind::loop: read_loop(reader, index, step); break;
      case Kind::parallel: read_parallel(reader, index, step); break;
    }
    if (step.retry.max_attempts != 1) step.retry_counter = fmt::format("step_{}_retry_count", index);
    return step;
  }

  [[nodiscard]] std::string said(StepIndex index) const {
    return names_[index].empty() ? fmt::format("step at index {}", index) : fmt::format("step '{}'", names_[index]);
  }

  void check_name(ObjectReader& reader) {
    const auto name = reader.non_empty_string("name");
    if (name != kEnd) return;
    reader.wrong(Code::id_reserved, "name", "cannot be 'end', which as 'next' ends the sequence", reader.any("name")->where);
  }

  enum class Kind { unclear, tool, loop, parallel };
  Kind kind_of(ObjectReader& reader) {
    std::vector<std::string_view> given;
    std::ranges::copy_if(kKinds, std::back_inserter(given), [&](std::string_view key) { return reader.has(key); });
    const auto foreign =
        std::ranges::find_if(reader.object().members, [](const Member& member) { return !said_otherwise(kCompositeSpelling, member.key).empty(); });
    if (given.empty() && foreign != reader.object().members.end()) {
      reader.wrong(Code::field_unknown, foreign->key, said_otherwise(kCompositeSpelling, foreign->key), foreign->where);
      return Kind::unclear;
    }
    if (given.empty()) {
      static constexpr std::array<std::string_view, 14> kBeside{"name",    "description",      "inputs",   "when",   "on_success", "on_failure",
                                                                "retry",   "timeout",          "deadline", "effect", "needs",      "wait_for",
                                                                "approve", "heartbeat_timeout"};
      const auto slip = std::ranges::find_if(reader.object().members,
                                             [&](const Member& member) { return std::ranges::find(kBeside, member.key) == kBeside.end(); });
      const std::vector<std::string> kinds{kKinds.begin(), kKinds.end()};
      report_.error(Code::field_missing,
                    fmt::format("{} needs 'tool', 'loop' or 'parallel': what it does{}", reader.what(),
                                slip == reader.object().members.end() ? std::string{} : report_.suggestion(slip->key, kinds)),
                    reader.object().where);
      return Kind::unclear;
    }
    if (given.size() > 1) {
      reader.wrong(Code::fields_exclusive, given[1], fmt::format("and '{}' exclude each other; make two steps of them", given[0]),
                   reader.any(given[1])->where);
      return Kind::unclear;
    }
    return given[0] == "tool" ? Kind::tool : given[0] == "loop" ? Kind::loop : Kind::parallel;
  }

  void read_tool(ObjectReader& reader, StepIndex index, Step& step) {
    reader.only(kToolFields, [](std::string_view key) -> std::string {
      if (key == "wait_for") return "belongs to steps with 'parallel'";
      if (key == "arguments") return "is a word of the tool dialect; this document is in the composite dialect, write 'inputs'";
      return said_otherwise(kCompositeSpelling, key);
    });
    static_cast<void>(reader.non_empty_string("tool"));
    const auto* inputs = reader.of_kind("inputs", JsonKind::object);
    if (inputs != nullptr) {
      StateTexts texts{reader.what(), report_};
      ObjectExpr bind;
      bind.members.reserve(inputs->members.size());
      for (const auto& member : inputs->members) bind.members.emplace_back(member.key, texts.read(member.value, "inputs." + member.key));
      step.bind = Expr{std::move(bind), inputs->where};
    }
    auto settings = read_call_settings(reader, report_);
    const auto failure = read_outcomes(reader, index, StepKind::tool, step);
    if (failure.retry && settings.retry) {
      reader.wrong(Code::fields_exclusive, "retry", "and 'on_failure: {action: retry}' say the same; keep one", reader.any("retry")->where);
    }
    if (failure.retry) settings.retry = failure.retry;
    const auto call = composite_.calls.find(&reader.object());
    if (call == composite_.calls.end() || call->second->target == nullptr) return;
    const auto& target = *call->second->target;
    bind_call(step, target, settings);
    check_surroundings(reader, target);
    check_inputs_given(step, target, inputs, reader.what(), report_);
  }

  OnFailure read_outcomes(ObjectReader& reader, StepIndex index, StepKind kind, Step& step) {
    StateTexts texts{reader.what(), report_};
    step.when = read_when(reader, texts, report_);
    auto success = read_on_success(reader, kind, report_);
    auto failure = read_on_failure(reader, report_);
    step.writes = std::move(success.writes);
    step.ok = route(success.next, index);
    step.failed = failure.goes_on ? route(failure.next, index) : Route{FinishFailed{}};
    if (!failure.goes_on) static_cast<void>(route(failure.next, index));  // it is never reached, and a slip all the same
    if (success.next.node != nullptr) jumps_[index].on_success = success.next.node->where;
    if (failure.next.node != nullptr && failure.goes_on) jumps_[index].on_failure = failure.next.node->where;
    return failure;
  }

  /// Where `next` leads; the step after when there is none.
  Route route(const NextStep& next, StepIndex from) {
    if (next.node == nullptr) {
      const bool last = around_ == Around::branches || from + 1U == list_.items.size();
      return last ? Route{FinishOk{}} : Route{Go{from + 1U}};
    }
    const auto& name = next.node->scalar.get_ref<const std::string&>();
    if (name == kEnd) return FinishOk{};
    if (around_ == Around::branches) {
      report_.error(Code::reference_unknown,
                    fmt::format("{}: 'next' is '{}', but the steps of 'parallel' do not follow each other; jump from the parallel step itself",
                                next.what, name),
                    next.node->where);
      return FinishOk{};
    }
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end()) return Go{static_cast<StepIndex>(found - names_.begin())};
    const bool elsewhere = std::ranges::find(composite_.names, name) != composite_.names.end();
    auto known = names_;
    known.emplace_back(kEnd);
    report_.error(Code::reference_unknown,
                  fmt::format("{}: 'next' is '{}', and no step here is called so{}", next.what, name,
                              elsewhere ? "; there is one on the other side of a block, which 'next' cannot enter or leave" + end_hint()
                                        : report_.suggestion(name, known)),
                  next.node->where);
    return FinishOk{};
  }

  [[nodiscard]] std::string end_hint() const { return around_ == Around::loop ? "; 'next: end' ends the round" : ""; }

  void read_loop(ObjectReader& reader, StepIndex index, Step& step) {
    reader.only(kLoopStepFields, why_not_in_block);
    const auto retry = read_outcomes(reader, index, StepKind::block, step).retry;
    const auto* node = reader.of_kind("loop", JsonKind::object);
    if (node == nullptr) return;
    ObjectReader loop{*node, reader.what() + ": loop", report_};
    loop.only(kLoopFields);
    FanOut each;
    each.as = "item";
    read_over(loop, each);
    Block block{read_as(loop), false};
    each.window = loop.count("max_concurrency", 1).value_or(1);
    each.carries = each.window == 1;
    Gather gather{each.carries, {}};
    if (const auto collect = loop.non_empty_string("collect")) {
      auto name = variable_name(*collect, loop.any("collect")->where, loop.what() + ": the variable of 'collect'", report_);
      if (name) gather.lists.push_back(std::move(*name));
    }
    step.gather = std::move(gather);
    step.each = std::move(each);
    loop.require("steps", "what is done with each item");
    if (const auto* steps = read_steps(loop, "steps", report_)) add_block(*steps, Around::loop, std::move(block), retry, step);
  }

  void read_over(ObjectReader& loop, FanOut& each) {
    loop.require("over", "a list, or a text such as \"{{ items }}\" that gives one");
    const auto* node = loop.any("over");
    if (node == nullptr) return;
    StateTexts texts{loop.what(), report_};
    each.over = texts.read(*node, "over");
    if (may_be_list(each.over)) return;
    loop.wrong(Code::not_a_list, "over",
               fmt::format("must be a list, or a text such as \"{{{{ items }}}}\" that gives one, not {}", with_article(node->kind)), node->where);
  }

  std::string read_as(ObjectReader& loop) {
    const auto given = loop.non_empty_string("as");
    if (!given) return "item";
    return variable_name(*given, loop.any("as")->where, loop.what() + ": the variable of 'as'", report_).value_or("item");
  }

  void read_parallel(ObjectReader& reader, StepIndex index, Step& step) {
    reader.only(kParallelFields, why_not_in_block);
    const auto retry = read_outcomes(reader, index, StepKind::block, step).retry;
    FanOut each;
    each.as = "item";
    each.join = reader.choice<Join>("wait_for", kJoins).value_or(Join::all);
    const auto* steps = read_steps(reader, "parallel", report_);
    if (steps == nullptr) return;
    auto branches = Json::array();
    for (std::size_t branch = 0; branch < steps->items.size(); ++branch) branches.push_back(branch);
    each.over = Expr{Literal{std::move(branches)}, steps->where};
    step.each = std::move(each);
    step.gather = Gather{true, {}};
    add_block(*steps, Around::branches, Block{{}, true}, retry, step);
  }

  static std::string why_not_in_block(std::string_view key) {
    for (const auto* of_tools : {"inputs", "retry", "timeout", "heartbeat_timeout", "deadline", "effect", "needs", "approve"}) {
      if (key == of_tools) return "belongs to steps with 'tool': say it of the steps inside";
    }
    for (const auto* of_loops : {"over", "as", "steps", "max_concurrency", "collect"}) {
      if (key == of_loops) return "belongs inside of 'loop'";
    }
    return {};
  }

  /// The program of a block, and the call of it.
  void add_block(const Node& steps, Around around, Block block, const std::optional<RetryPolicy>& retry, Step& step) {
    const auto path = path_.empty() ? step.id : path_ + "/" + step.id;
    const auto key = fmt::format("{}#{}", composite_.definition.key, path);
    auto program = read_sequence(steps, around, path, composite_);
    program.name = step.name;
    program.arguments.additional = true;
    program.outputs = BlockResult{};
    auto read = state_read_by(program);
    if (!block.branches) read.names.erase(block.item);
    StateOf state;
    if (!read.all) state.names = std::vector<std::string>{read.names.begin(), read.names.end()};
    program.block = std::move(block);
    step.bind = Expr{ObjectExpr{{{"state", Expr{std::move(state), step.where}}}}, step.where};
    step.call = ProgramCall{step.name, key};
    step.arguments.additional = true;
    step.responses.additional = true;
    step.retry = retry.value_or(RetryPolicy{});
    composite_.nested.insert_or_assign(key, std::move(program));
  }

  const Node& list_;
  Around around_;
  std::string path_;
  Composite& composite_;
  Report& report_;
  std::vector<std::string> names_;
  std::vector<std::string> ids_;
  std::vector<WrittenJumps> jumps_;
};

}  // namespace

std::vector<const Node*> tool_steps(const Node& steps) {
  std::vector<const Node*> found;
  if (steps.kind != JsonKind::list) return found;
  for (const auto& step : steps.items) {
    if (string_at(step, "tool") != nullptr) found.push_back(&step);
    if (step.kind != JsonKind::object) continue;
    const auto* loop = step.find("loop");
    const auto* inner = loop == nullptr || loop->kind != JsonKind::object ? nullptr : loop->find("steps");
    for (const auto* list : {inner, step.find("parallel")}) {
      if (list == nullptr) continue;
      const auto inside = tool_steps(*list);
      found.insert(found.end(), inside.begin(), inside.end());
    }
  }
  return found;
}

Program read_sequence(const Node& list, Around around, const std::string& path, Composite& composite) {
  return SequenceReader{list, around, path, composite}.read();
}

const Node* read_steps(ObjectReader& owner, std::string_view key, Report& report) {
  const auto* list = owner.of_kind(key, JsonKind::list);
  if (list == nullptr) return nullptr;
  if (list->items.empty()) {
    owner.wrong(Code::field_value, key, "is empty: it needs at least one step", list->where);
    return nullptr;
  }
  if (list->items.size() <= limits::kStepsMax) return list;
  report.error(Code::field_value,
               fmt::format("{}: '{}' has {} steps; at most {} are allowed", owner.what(), key, list->items.size(), limits::kStepsMax), list->where);
  return nullptr;
}

}  // namespace catena::lang
