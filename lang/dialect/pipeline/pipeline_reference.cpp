#include "lang/dialect/pipeline/pipeline_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/characters.hpp"
#include "lang/dialect/shared/value_expr.hpp"
#include "lang/dialect/shared/word_within.hpp"
#include "lang/dialect/tool/tool_reference.hpp"
#include "lang/expr/check.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 3> kWords{"input", "prev", "steps"};

/// `$word` with nothing behind it, or a path: "$5", "$a b" and "costs $x" are texts like any other.
std::optional<std::string_view> reference_word(std::string_view text) {
  if (text.size() < 2 || text.front() != '$' || !begins_identifier(text[1])) return std::nullopt;
  const auto* const end = std::find_if_not(text.begin() + 1, text.end(), in_identifier);
  const auto word = text.substr(1, static_cast<std::size_t>(end - text.begin()) - 1);
  const auto rest = text.substr(word.size() + 1);
  if (!rest.empty() && rest.front() != '.' && rest.front() != '[') return std::nullopt;
  const bool in_one_piece = std::ranges::all_of(rest, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7f;
  });
  return in_one_piece ? std::optional{word} : std::nullopt;
}

/// `.key` and `[n]`, one behind the other. Nothing: it is no path.
std::optional<std::vector<std::string>> segments_of(std::string_view rest) {
  std::vector<std::string> segments;
  while (!rest.empty()) {
    const bool index = rest.front() == '[';
    const auto end = index ? rest.find(']') : rest.find_first_of(".[]", 1);
    if (index && end == std::string_view::npos) return std::nullopt;
    const auto segment = rest.substr(1, end == std::string_view::npos ? end : end - 1);
    if (index ? !is_digits(segment) : !is_segment(segment)) return std::nullopt;
    segments.emplace_back(segment);
    rest.remove_prefix(std::min(rest.size(), end == std::string_view::npos ? rest.size() : end + (index ? 1 : 0)));
    if (!rest.empty() && rest.front() == ']') return std::nullopt;
    if (!rest.empty() && rest.front() != '.' && rest.front() != '[') return std::nullopt;
  }
  return segments;
}

}  // namespace

namespace {

/// What REF: reads as null (a member that is missing) is an error here: the function that asks for it is strict.
Expr exact(Ref whole, const std::vector<std::string>& path, const Place& where) {
  const auto base = whole.root == Root::input ? std::string{"REF:input"} : fmt::format("REF:steps.{}", whole.step);
  const auto expression = expr::compile(fmt::format("get_object_property({}, {})", base, Json(fmt::format("{}", fmt::join(path, "."))).dump()), {});
  Computed computed{expression.value(), {}};
  computed.references.emplace(base, std::move(whole));
  return Expr{std::move(computed), where};
}

}  // namespace

Expr PipelineValues::read(const Node& node) {
  return read_value(node, [&](const Node& text) { return read_string(text); });
}

Expr PipelineValues::read_string(const Node& node) {
  const std::string_view text = node.scalar.get_ref<const std::string&>();
  const auto word = reference_word(text);
  if (!word) {
    if (const auto inside = word_within(text, kWords)) {
      report_.warn(Code::reference_unknown,
                   fmt::format("{}: '{}' stays this text, with '${}' in it: a reference is a whole value. Let the tool render_template put the text "
                               "together, or write a composite",
                               what_, text, *inside),
                   node.where);
    }
    return Expr{Literal{node.scalar}, node.where};
  }
  if (std::ranges::find(kWords, *word) == kWords.end()) {
    const std::vector<std::string> known{kWords.begin(), kWords.end()};
    const auto near = nearest(*word, known);
    return unknown(node, Code::reference_unknown,
                   {fmt::format("there is no '${}', only $input, $prev and $steps", *word), near ? fmt::format("; did you mean '${}'?", *near) : ""});
  }
  const auto rest = text.substr(word->size() + 1);
  auto segments = segments_of(rest);
  if (!segments) {
    return unknown(node, Code::reference_syntax,
                   {"that is no path: write '.key' for a member of an object and '[0]' or '.0' for an element of a list", ""});
  }
  Dollar dollar{*word, std::move(*segments), rest.starts_with('[')};
  if (*word == "input") return of_input(node, std::move(dollar));
  return *word == "prev" ? of_previous(node, std::move(dollar)) : of_step(node, std::move(dollar));
}

Expr PipelineValues::of_input(const Node& node, Dollar dollar) {
  if (!dollar.segments.empty() && !names_.input.additional && names_.input.find(dollar.segments.front()) == nullptr) {
    const auto& wanted = dollar.segments.front();
    return missing(node, {fmt::format("inputSchema has no property '{}', and allows no others", wanted),
                          report_.suggestion(wanted, [&] { return field_names(names_.input); })});
  }
  return reference(node, Root::input, 0, std::move(dollar.segments));
}

Expr PipelineValues::of_previous(const Node& node, Dollar dollar) {
  if (self_ == 0) return missing(node, {"no step runs before the first", ""});
  return reference(node, Root::step, self_ - 1, std::move(dollar.segments));
}

Expr PipelineValues::of_step(const Node& node, Dollar dollar) {
  if (dollar.segments.empty()) return unknown(node, Code::reference_syntax, {"it names no step; write $steps[0] or $steps.<name>", ""});
  const auto& wanted = dollar.segments.front();
  const auto count = names_.steps.size();
  const auto named = dollar.indexed ? names_.steps.end() : std::ranges::find(names_.steps, wanted);
  auto index = static_cast<std::size_t>(named - names_.steps.begin());
  if (named == names_.steps.end()) {
    if (!is_digits(wanted)) return missing(node, {fmt::format("there is no step '{}'", wanted), report_.suggestion(wanted, names_.steps)});
    const auto read = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
    if (read.ec != std::errc{} || index >= count) {
      return missing(node, {fmt::format("there is no step {}; the pipeline has {}, counted from 0", wanted, count), ""});
    }
  }
  if (index >= self_) {
    return missing(node, {index == self_ ? "it is the step itself, which has no result yet" : fmt::format("step {} runs later", index), ""});
  }
  dollar.segments.erase(dollar.segments.begin());
  return reference(node, Root::step, static_cast<StepIndex>(index), std::move(dollar.segments));
}

Expr PipelineValues::reference(const Node& node, Root root, StepIndex step, std::vector<std::string> path) const {
  const auto& text = node.scalar.get_ref<const std::string&>();
  if (names_.strict && !path.empty()) return exact(Ref{root, step, {}, text}, path, node.where);
  Ref ref{root, step, std::move(path), text};
  ref.lenient = !names_.strict;
  return Expr{std::move(ref), node.where};
}

Expr PipelineValues::missing(const Node& node, const Nothing& nothing) {
  auto message = fmt::format("{}: '{}': {}{}", what_, node.scalar.get_ref<const std::string&>(), nothing.why, nothing.hint);
  if (names_.strict) {
    report_.error(Code::reference_unknown, std::move(message), node.where);
  } else {
    report_.warn(Code::reference_unknown, message + "; it is null", node.where);
  }
  return Expr{Literal{nullptr}, node.where};
}

Expr PipelineValues::unknown(const Node& node, Code code, const Nothing& nothing) {
  auto message = fmt::format("{}: '{}': {}{}", what_, node.scalar.get_ref<const std::string&>(), nothing.why, nothing.hint);
  if (names_.strict) {
    report_.error(code, std::move(message), node.where);
  } else {
    report_.warn(code, message + "; it stays as it is", node.where);
  }
  return Expr{Literal{node.scalar}, node.where};
}

}  // namespace catena::lang
