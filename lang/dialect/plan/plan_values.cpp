#include "lang/dialect/plan/plan_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "lang/dialect/shared/value_expr.hpp"
#include "lang/dialect/shared/word_within.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kResultFrom = "RESULT_FROM_";

/// RESULT_FROM_<id>[.path] in a text.
struct Mention {
  std::size_t begin = 0, end = 0;
  bool escaped = false;  // \RESULT_FROM_: the text itself
  std::string_view id;
  std::vector<DollarPath::Segment> path;
};

/// The next mention from `from` on. What stands within a longer word, or names no id at all, is text.
std::optional<Mention> next_mention(std::string_view text, std::size_t from) {
  for (auto at = text.find(kResultFrom, from); at != std::string_view::npos; at = text.find(kResultFrom, at + 1)) {
    if (at > 0 && is_step_id_char(text[at - 1])) continue;
    auto rest = text.substr(at + kResultFrom.size());
    const auto length = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_step_id_char) - rest.begin());
    if (length == 0) continue;
    Mention mention;
    mention.escaped = at > from && text[at - 1] == '\\';
    mention.begin = mention.escaped ? at - 1 : at;
    mention.id = rest.substr(0, length);
    rest.remove_prefix(length);
    mention.path = take_segments(rest);
    mention.end = text.size() - rest.size();
    return mention;
  }
  return std::nullopt;
}

void collect_named(const Plan& plan, const Node& value, std::set<std::size_t>& known, std::vector<std::size_t>& steps) {
  if (value.kind == JsonKind::string) {
    const auto& text = value.scalar.get_ref<const std::string&>();
    for (auto mention = next_mention(text, 0); mention; mention = next_mention(text, mention->end)) {
      const auto found = mention->escaped ? plan.ids.end() : plan.ids.find(mention->id);
      if (found != plan.ids.end() && known.insert(found->second).second) steps.push_back(found->second);
    }
  }
  for (const auto& item : value.items) collect_named(plan, item, known, steps);
  for (const auto& member : value.members) collect_named(plan, member.value, known, steps);
}

}  // namespace

std::vector<std::size_t> steps_named(const Plan& plan, const Node& value) {
  std::set<std::size_t> known;
  std::vector<std::size_t> steps;
  collect_named(plan, value, known, steps);
  return steps;
}

Expr PlanValues::read(const Node& node) {
  return read_value(node, [&](const Node& text) { return read_string(text); });
}

Expr PlanValues::read_instruction(const Node& node) {
  auto parts = parts_of(node.scalar.get_ref<const std::string&>(), node.where);
  if (parts.empty()) return Expr{Literal{""}, node.where};
  if (parts.size() == 1 && is_literal(parts.front())) return std::move(parts.front());
  return Expr{Concat{std::move(parts)}, node.where};
}

Expr PlanValues::read_string(const Node& node) {
  const auto& text = node.scalar.get_ref<const std::string&>();
  const auto word = dollar_word(text);
  if (word == "input" || word == "prev" || word == "tools") return read_dollar(text, node.where);
  warn_of_strangers(text, node.where);
  auto parts = parts_of(text.starts_with("\\$") ? std::string_view{text}.substr(1) : text, node.where);
  if (parts.empty()) return Expr{Literal{""}, node.where};
  if (parts.size() == 1) return std::move(parts.front());  // a reference alone keeps the type of its value
  return Expr{Concat{std::move(parts)}, node.where};
}

std::vector<Expr> PlanValues::parts_of(std::string_view text, const Place& where) {
  std::vector<Expr> parts;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) parts.push_back(Expr{Literal{std::exchange(literal, {})}, where});
  };
  std::size_t from = 0;
  for (auto mention = next_mention(text, 0); mention; mention = next_mention(text, from)) {
    literal += text.substr(from, mention->begin - from);
    from = mention->end;
    const auto written = text.substr(mention->begin, mention->end - mention->begin);
    if (mention->escaped) {
      literal += written.substr(1);
      continue;
    }
    end_literal();
    parts.push_back(result_from(mention->id, written, mention->path, where));
  }
  literal += text.substr(from);
  end_literal();
  return parts;
}

Expr PlanValues::result_from(std::string_view id, std::string_view written, const std::vector<DollarPath::Segment>& path, const Place& where) {
  const auto found = plan_.ids.find(id);
  if (found == plan_.ids.end()) {
    return refuse(Code::reference_unknown, written,
                  fmt::format("there is no step '{}'{}", id, report_.suggestion(id, [&] { return plan_.known_ids(); })), where);
  }
  const auto& step = plan_.steps[found->second];
  if (&step == &own_) {
    return refuse(Code::dependency_self, written, "it names the step itself; what earlier tools of a step returned is $prev or $tools[0]", where);
  }
  if (step.tools.empty()) return Expr{Literal{}, where};  // reported
  return Expr{Ref{Root::step, step.last(), segment_texts(path), std::string{written}}, where};
}

Expr PlanValues::read_dollar(const std::string& text, const Place& where) {
  auto path = parse_dollar_path(text, where);
  if (!path) {
    path.error().message = fmt::format("{}: {}", own_.what, path.error().message);
    report_.error(std::move(path.error()));
    return Expr{Literal{}, where};
  }
  if (path->word == "input") return read_input(*path, text, where);
  const auto tool = earlier_tool(*path, text, where);
  if (!tool) return Expr{Literal{}, where};
  auto segments = segment_texts(path->segments);
  if (path->word == "tools") segments.erase(segments.begin());
  return Expr{Ref{Root::step, own_.tools[*tool].step, std::move(segments), text}, where};
}

Expr PlanValues::read_input(const DollarPath& path, const std::string& text, const Place& where) {
  const auto& arguments = plan_.definition.arguments;
  if (!path.segments.empty() && !arguments.additional && arguments.find(path.segments.front().text) == nullptr) {
    std::vector<std::string> names;
    for (const auto& field : arguments.fields) names.push_back(field.name);
    const auto& name = path.segments.front().text;
    return refuse(Code::reference_unknown, text, fmt::format("the plan declares no argument '{}'{}", name, report_.suggestion(name, names)), where);
  }
  return Expr{Ref{Root::input, 0, segment_texts(path.segments), text}, where};
}

std::optional<std::size_t> PlanValues::earlier_tool(const DollarPath& path, const std::string& text, const Place& where) {
  const auto none = [&](Code code, std::string_view why) -> std::optional<std::size_t> {
    static_cast<void>(refuse(code, text, why, where));
    return std::nullopt;
  };
  if (path.word == "prev") {
    if (tool_ > 0) return tool_ - 1;
    return none(Code::reference_unknown, "the first tool of a step has none before it; the result of another step is RESULT_FROM_<id>");
  }
  if (path.segments.empty() || !path.segments.front().is_index) {
    return none(Code::reference_syntax, "which tool is meant stands in brackets, counted from 0: $tools[0]");
  }
  const auto& digits = path.segments.front().text;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error == std::errc{} && index < tool_) return index;
  if (error != std::errc{} || index >= own_.tools.size()) {
    return none(Code::reference_unknown, fmt::format("the step has {} tool{}, counted from 0", own_.tools.size(), own_.tools.size() == 1 ? "" : "s"));
  }
  return none(Code::reference_unknown, fmt::format("only earlier tools have results, and this is $tools[{}]", tool_));
}

/// Words of other dialects are literals here, and hardly ever meant to be.
void PlanValues::warn_of_strangers(const std::string& text, const Place& where) {
  const auto warn = [&](std::string_view hint) {
    report_.warn(Code::reference_unknown, fmt::format("{}: '{}' is no reference in a plan, so it stays this text; {}", own_.what, text, hint), where);
  };
  if (text.starts_with("REF:")) return warn("the result of a step is RESULT_FROM_<id>");
  const auto word = dollar_word(text);
  if (!word) {
    constexpr std::array<std::string_view, 3> kAlone{"input", "prev", "tools"};
    if (const auto inside = word_within(text, kAlone)) {
      report_.warn(
          Code::reference_unknown,
          fmt::format("{}: '{}' stays this text, with '${}' in it: only RESULT_FROM_<id> has a meaning within a text", own_.what, text, *inside),
          where);
    }
    return;
  }
  if (word == "steps") return warn("the result of a step is RESULT_FROM_<id>");
  static const std::array<std::string, 3> kWords{"input", "prev", "tools"};
  if (const auto meant = nearest(*word, kWords)) warn(fmt::format("did you mean '${}'?", *meant));
}

Expr PlanValues::refuse(Code code, std::string_view written, std::string_view why, const Place& where) {
  report_.error(code, fmt::format("{}: '{}': {}", own_.what, written, why), where);
  return Expr{Literal{}, where};
}

}  // namespace catena::lang
