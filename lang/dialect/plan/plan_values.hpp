#pragma once
// Values of plans: RESULT_FROM_<id>, alone or in a text, and $input, $prev and $tools[i], alone; everything else is a literal.
#include <string>
#include <string_view>
#include <vector>

#include "lang/dialect/plan/dollar_path.hpp"
#include "lang/dialect/plan/plan_parts.hpp"

namespace catena::lang {

class PlanValues {
 public:
  /// Values of the step's `tool`-th tool. What is wrong is reported.
  PlanValues(const Plan& plan, std::size_t step, std::size_t tool, Report& report)
      : plan_{plan}, own_{plan.steps[step]}, tool_{tool}, report_{report} {}

  [[nodiscard]] Expr read(const Node& node);
  /// In an instruction only RESULT_FROM_ has a meaning, and it stays a text.
  [[nodiscard]] Expr read_instruction(const Node& node);

 private:
  [[nodiscard]] Expr read_string(const Node& node);
  /// The text between references, and the references.
  [[nodiscard]] std::vector<Expr> parts_of(std::string_view text, const Place& where);
  [[nodiscard]] Expr result_from(std::string_view id, std::string_view written, const std::vector<DollarPath::Segment>& path, const Place& where);
  [[nodiscard]] Expr read_dollar(const std::string& text, const Place& where);
  [[nodiscard]] Expr read_input(const DollarPath& path, const std::string& text, const Place& where);
  [[nodiscard]] std::optional<std::size_t> earlier_tool(const DollarPath& path, const std::string& text, const Place& where);
  void warn_of_strangers(const std::string& text, const Place& where);
  /// Stands for what could not be read.
  [[nodiscard]] Expr refuse(Code code, std::string_view written, std::string_view why, const Place& where);

  const Plan& plan_;
  const PlanStep& own_;
  std::size_t tool_;
  Report& report_;
};

/// The steps of the plan that RESULT_FROM_ names in the texts of a value, in the order of the document, each once. Unknown ones are left
/// out.
[[nodiscard]] std::vector<std::size_t> steps_named(const Plan& plan, const Node& value);

}  // namespace catena::lang
