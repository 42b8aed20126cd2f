#pragma once
// Values of the tool dialect as expressions: references are resolved by name, everything else is a literal.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/definition.hpp"
#include "lang/report.hpp"

namespace catena::lang {

/// What the references of one definition can name.
struct Names {
  const Definition& definition;
  std::map<std::string, StepIndex, std::less<>> steps;
  std::vector<bool> fan_out;  // by step

  [[nodiscard]] std::vector<std::string> contexts() const;
};

class ExprReader {
 public:
  /// `self` is the step that the values belong to, if any; `what` begins the messages.
  ExprReader(const Names& names, std::optional<StepIndex> self, std::string what, Report& report)
      : names_{names}, self_{self}, what_{std::move(what)}, report_{report} {}

  [[nodiscard]] Expr read(const Node& node);
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  [[nodiscard]] Expr read_string(const Node& node);
  [[nodiscard]] Expr read_list(const Node& node);
  [[nodiscard]] Expr read_object(const Node& node);
  void resolve(Ref& ref, std::string_view context, const Place& where);
  void check_argument(const Ref& ref, const Place& where);
  void unknown_context(const Ref& ref, std::string_view context, const Place& where);
  void warn_of_slip(const Ref& ref, const Place& where);

  const Names& names_;
  std::optional<StepIndex> self_;
  std::string what_;
  Report& report_;
};

/// Every reference inside.
void for_each_reference(const Expr& expr, const std::function<void(const Ref&)>& visit);
void for_each_reference(const Condition& condition, const std::function<void(const Ref&)>& visit);

[[nodiscard]] std::vector<std::string> field_names(const Schema& schema);

}  // namespace catena::lang
