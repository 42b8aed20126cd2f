#include "lang/dialect/tool/tool_expr.hpp"

#include <fmt/format.h>

#include <utility>

#include "lang/dialect/shared/value_expr.hpp"
#include "lang/expr/error.hpp"
#include "lang/expr/inspect.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
Expr ExprReader::read(const Node& node) {
  return read_value(node, [&](const Node& text) { return read_string(text); });
}

Expr ExprReader::read_for(const Field* place, const Node& node) {
  auto expr = read(node);
  if (auto* ref = std::get_if<Ref>(&expr.node)) keep_path(*ref, place);
  return expr;
}

Expr ExprReader::read_variable(const Node& node, const expr::Names& visible) {
  visible_ = &visible;
  auto expr = read(node);
  visible_ = nullptr;
  return expr;
}

std::optional<Computed> ExprReader::compute(const Node& text, const expr::Names& visible) {
  auto expression = expr::compile(text.scalar.get_ref<const std::string&>(), visible);
  if (!expression) {
    auto error = std::move(expression.error());
    error.message = fmt::format("{}: {}", what_, error.message);
    error.where = text.where;
    report_.error(std::move(error));
    return std::nullopt;
  }
  Computed computed{std::move(*expression), {}};
  for (const auto& used : expr::uses_of(*computed.expression).references) {
    if (computed.references.contains(used.reference)) continue;
    auto caret = expr::fail_at(Code::reference_unknown, "", used.text, used.at).value().notes;
    computed.references.emplace(used.reference, references_.read(used.reference, text.where, std::move(caret)));
  }
  return computed;
}

Expr ExprReader::read_string(const Node& node) {
  const auto& text = node.scalar.get_ref<const std::string&>();
  if (is_reference(text)) return Expr{references_.read(text, node.where), node.where};
  if (visible_ != nullptr && expr::is_known_call(text)) {
    if (auto computed = compute(node, *visible_)) return Expr{std::move(*computed), node.where};
  }
  if (visible_ == nullptr) warn_of_reference_within(text, node.where);
  return Expr{Literal{literal_text(text)}, node.where};
}

/// A text may speak of REF:x.y; what names something that there is was hardly meant so.
void ExprReader::warn_of_reference_within(std::string_view text, const Place& where) {
  constexpr std::string_view kMark = "REF:";
  for (auto at = text.find(kMark, 1); at != std::string_view::npos; at = text.find(kMark, at + 1)) {
    if (text[at - 1] == '\\') continue;
    const auto behind = text.substr(at + kMark.size());
    const auto context = behind.substr(0, behind.find('.'));
    if (context.size() == behind.size() || (context != "arguments" && !names_.steps.contains(context))) continue;
    return report_.warn(Code::reference_unknown,
                        fmt::format("{}: '{}' stays this text, with 'REF:{}…' in it: a reference is a whole value. transform_arguments can put a "
                                    "text together: \"'…' + REF:{}…\"",
                                    what_, text, context, context),
                        where);
  }
}

void keep_path(Ref& ref, const Field* place) {
  if (place == nullptr || place->type != Type::file || !ref.file || ref.path.size() > ref.file->segments) return;
  ref.file->stays_a_path = true;
}

}  // namespace catena::lang
