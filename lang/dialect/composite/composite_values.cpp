#include <fmt/format.h>

#include "lang/dialect/composite/composite_parts.hpp"
#include "lang/dialect/shared/value_expr.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kOpens = "{{";

}  // namespace

Expr StateTexts::read(const Node& node, std::string_view field) {
  return read_value(node, [&](const Node& text) { return read_string(text, field); });
}

Expr StateTexts::read_string(const Node& node, std::string_view field) {
  const auto& text = node.scalar.get_ref<const std::string&>();
  if (text.find(kOpens) == std::string::npos) return Expr{Literal{node.scalar}, node.where};
  auto parsed = TextTemplate::parse(text, "", TemplateForms::expressions);
  if (!parsed) {
    auto error = std::move(parsed.error());
    error.message = fmt::format("{}: '{}': {}", what_, field, error.message);
    if (error.where.line > 1) error.notes.push_back(fmt::format("in line {} of the text", error.where.line));
    error.where = node.where;
    report_.error(std::move(error));
    return Expr{Literal{nullptr}, node.where};
  }
  for (const auto& reference : parsed->references()) {
    report_.error(
        Code::reference_unknown,
        fmt::format("{}: '{}' has the reference '{}', which means nothing in this dialect; write the name of a state variable, as in {{{{ x }}}}",
                    what_, field, reference),
        node.where);
  }
  return Expr{Templated{std::move(*parsed)}, node.where};
}

std::optional<Condition> read_when(ObjectReader& step, StateTexts& texts, Report& report) {
  const auto* node = step.any("when");
  if (node == nullptr) return std::nullopt;
  if (node->kind != JsonKind::string && node->kind != JsonKind::boolean) {
    step.wrong(Code::field_type, "when", fmt::format("must be true, false or a text such as \"{{{{ x > 1 }}}}\", not {}", with_article(node->kind)),
               node->where);
    return std::nullopt;
  }
  auto value = texts.read(*node, "when");
  if (node->kind == JsonKind::string && node->scalar.get_ref<const std::string&>().find(kOpens) == std::string::npos) {
    const bool empty = node->scalar.get_ref<const std::string&>().empty();
    report.warn(Code::field_value,
                fmt::format("{}: 'when' is a text without {{{{ }}}}, which is always {}; write {{{{ … }}}} around what is to be computed",
                            step.what(), empty ? "false" : "true"),
                node->where);
  }
  return Condition{Truth{std::move(value)}, node->where};
}

std::optional<std::string> variable_name(const std::string& name, const Place& where, std::string_view what, Report& report) {
  if (name == "state") {
    report.error(Code::id_reserved, fmt::format("{} cannot be called 'state', which is the whole state in texts", what), where);
    return std::nullopt;
  }
  if (is_segment(name)) return name;
  report.error(Code::id_invalid,
               fmt::format("{} '{}' must not be empty or have dots, brackets or white space in it: no text could read it", what, name), where);
  return std::nullopt;
}

}  // namespace catena::lang
