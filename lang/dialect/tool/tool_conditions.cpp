#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lang/dialect/tool/tool_parts.hpp"
#include "lang/op/operators.hpp"

namespace catena::lang {
namespace {

constexpr std::array<std::string_view, 3> kTestFields{"param", "operator", "value"};
constexpr std::array<std::string_view, 2> kGroupFields{"logic", "conditions"};
constexpr ObjectReader::Choice<Logic> kLogics[] = {{"AND", Logic::all}, {"OR", Logic::any}, {"NOT", Logic::none}};

class ConditionReader {
 public:
  ConditionReader(ExprReader& values, Report& report) : values_{values}, report_{report} {}

  std::vector<Condition> list(ObjectReader& owner) {
    std::vector<Condition> conditions;
    const auto* node = owner.of_kind("conditions", JsonKind::list);
    if (node == nullptr) return conditions;
    for (const auto& item : node->items) {
      if (item.kind == JsonKind::object) {
        conditions.push_back(condition(item));
      } else {
        owner.wrong(Code::field_type, "conditions", fmt::format("must be a list of objects; this element is {}", with_article(item.kind)),
                    item.where);
      }
    }
    return conditions;
  }

 private:
  Condition condition(const Node& node) {
    ObjectReader reader{node, values_.what() + ": condition", report_};
    if (reader.has("logic") || reader.has("conditions")) return Condition{group(reader), node.where};
    return Condition{test(reader), node.where};
  }

  Group group(ObjectReader& reader) {
    reader.only(kGroupFields);
    reader.require("logic", "AND, OR or NOT");
    reader.require("conditions", "the list that 'logic' is about");
    const auto logic = reader.choice<Logic>("logic", kLogics).value_or(Logic::all);
    return Group{logic, list(reader)};
  }

  Test test(ObjectReader& reader) {
    reader.only(kTestFields);
    reader.require("param", "what is tested, usually a reference");
    reader.require("operator", "for example equals");
    Test test;
    if (const auto* param = reader.any("param")) test.param = values_.read(*param);
    if (const auto* value = reader.any("value")) test.value = values_.read(*value);
    if (const auto op = reader.string("operator")) check_operator(reader, *op, test);
    return test;
  }

  void check_operator(ObjectReader& reader, const std::string& op, Test& test) {
    const auto& where = reader.any("operator")->where;
    const auto* row = find_operator(op);
    if (row == nullptr) {
      const auto hint = report_.suggestion(op, operator_names());
      const auto known = hint.empty() ? fmt::format("; operators are {}", fmt::join(operator_names(), ", ")) : hint;
      reader.wrong(Code::operator_unknown, "operator", fmt::format("'{}' is not known{}", op, known), where);
      return;
    }
    test.op = op;
    if (row->needs_value) {
      reader.require("value", fmt::format("what '{}' compares with", op));
    } else if (reader.has("value")) {
      report_.warn(Code::field_unknown, fmt::format("{}: '{}' looks at 'param' alone; 'value' is not used", reader.what(), op),
                   reader.any("value")->where);
    }
    check_literal_pattern(reader, test);
  }

  void check_literal_pattern(ObjectReader& reader, const Test& test) {
    const auto* literal = std::get_if<Literal>(&test.value.node);
    if (test.op != "matches" || literal == nullptr || !literal->value.is_string()) return;
    const auto checked = check_pattern(literal->value.get_ref<const std::string&>());
    if (checked) return;
    report_.error(checked.error().code, fmt::format("{}: {}", reader.what(), checked.error().message), test.value.where);
  }

  ExprReader& values_;
  Report& report_;
};

}  // namespace

std::optional<Condition> read_conditions(ObjectReader& instruction, ExprReader& values, Report& report) {
  auto conditions = ConditionReader{values, report}.list(instruction);
  if (conditions.empty()) return std::nullopt;
  return Condition{Group{Logic::all, std::move(conditions)}, instruction.any("conditions")->where};
}

}  // namespace catena::lang
