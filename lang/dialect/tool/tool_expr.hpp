#pragma once
// Values of the tool and agent dialects as expressions: references are resolved by name; in transforms, strings that are calls are
// computed; everything else is a literal.
#include <optional>
#include <string>
#include <string_view>

#include "lang/dialect/tool/tool_reference.hpp"
#include "lang/document/document.hpp"
#include "lang/expr/check.hpp"

namespace catena::lang {

class ExprReader {
 public:
  /// `self` is the step that the values belong to, if any; `what` begins the messages.
  ExprReader(const Names& names, std::optional<StepIndex> self, std::string what, Report& report, Sees sees = Sees::settled)
      : what_{std::move(what)}, names_{names}, report_{report}, references_{names, self, sees, what_, report} {}

  [[nodiscard]] Expr read(const Node& node);
  /// A value for a declared place: where that is a file, a bare reference to a file stays its path. `place` may be null.
  [[nodiscard]] Expr read_for(const Field* place, const Node& node);
  /// As read(), and a string that is, as a whole, a call of a known function is computed over these names.
  [[nodiscard]] Expr read_variable(const Node& node, const expr::Names& visible);
  /// An expression. Nothing: what is wrong was reported.
  [[nodiscard]] std::optional<Computed> compute(const Node& text, const expr::Names& visible);
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  [[nodiscard]] Expr read_string(const Node& node);
  void warn_of_reference_within(std::string_view text, const Place& where);

  std::string what_;
  const Names& names_;
  Report& report_;
  ReferenceReader references_;
  const expr::Names* visible_ = nullptr;  // what calls see; null: strings are never calls
};

/// The reference is to a file itself, not to something about it: in a place that is declared `file` it stays the path.
void keep_path(Ref& ref, const Field* place);

}  // namespace catena::lang
