#include "lang/dialect/tool/tool_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/dialect/shared/object_reader.hpp"
#include "lang/dialect/tool/tool_expr.hpp"
#include "lang/program/value_check.hpp"

namespace catena::lang {
namespace {

class ArgumentCheck {
 public:
  ArgumentCheck(const Step& step, const Definition& target, std::string_view what, Report& report)
      : step_{step}, target_{target}, what_{fmt::format("{}: {} '{}'", what, noun(target), target.name)}, report_{report} {}

  void names(const Node* arguments) {
    if (arguments == nullptr || arguments->kind != JsonKind::object) return;
    for (const auto& member : arguments->members) {
      declared(member.key, member.where);
      if (step_.each && step_.each->as == member.key) {
        report_.warn(Code::fields_exclusive, fmt::format("{}: the argument '{}' is given, but each item takes its place", what_, member.key),
                     member.where);
      }
    }
  }

  void literals() {
    for (const auto& [name, value] : std::get<ObjectExpr>(step_.bind.node).members) {
      const auto* field = target_.arguments.find(name);
      if (field != nullptr && !transformed(name)) literal(*field, value);
    }
  }

  void required(const Place& where) {
    const auto& given = std::get<ObjectExpr>(step_.bind.node).members;
    for (const auto& field : target_.arguments.fields) {
      if (!field.required || field.default_value || (step_.each && step_.each->as == field.name)) continue;
      if (transformed(field.name) || std::ranges::any_of(given, [&](const auto& member) { return member.first == field.name; })) continue;
      report_.error(Code::argument_missing, fmt::format("{} needs the argument '{}' ({})", what_, field.name, word(field.type)), where);
    }
  }

  void items(const Node* iterate_over) {
    if (!step_.each || step_.each->as.empty()) return;
    declared(step_.each->as, child_argument_);
    const auto* field = target_.arguments.find(step_.each->as);
    const auto* literal = std::get_if<Literal>(&step_.each->over.node);
    if (field == nullptr || literal == nullptr || iterate_over == nullptr || iterate_over->kind != JsonKind::list) return;
    if (transformed(field->name)) return;
    for (std::size_t index = 0; index < iterate_over->items.size(); ++index) value(*field, literal->value[index], iterate_over->items[index].where);
  }

  /// What transform_arguments sets, whether or not its expressions are right: they were reported.
  void results(const Node& transforms) {
    for (const auto& member : transforms.members) {
      const auto dot = member.key.find('.');
      const auto name = member.key.substr(0, dot);
      if (name.empty()) continue;  // reported
      transformed_.push_back(name);
      declared(name, member.where);
      const auto* field = target_.arguments.find(name);
      if (dot == std::string::npos || field == nullptr || field->type == Type::any || field->type == Type::object) continue;
      report_.error(Code::argument_type,
                    fmt::format("{}: argument '{}' is of the type {}; '{}' sets a field of an object", what_, name, word(field->type), member.key),
                    member.where);
    }
  }

  void child_argument_at(const Place& where) { child_argument_ = where; }

 private:
  /// What is given is not what the tool gets.
  [[nodiscard]] bool transformed(const std::string& name) const { return std::ranges::find(transformed_, name) != transformed_.end(); }

  void declared(const std::string& name, const Place& where) {
    if (target_.arguments.additional || target_.arguments.find(name) != nullptr) return;
    report_.error(
        Code::argument_unknown,
        fmt::format("{} declares no argument '{}'{}", what_, name, report_.suggestion(name, [&] { return field_names(target_.arguments); })), where);
  }

  void literal(const Field& field, const Expr& given) {
    if (const auto* known = std::get_if<Literal>(&given.node)) {
      value(field, known->value, given.where);
    } else if (std::holds_alternative<ListExpr>(given.node)) {
      kind(field, Type::list, given.where);
    } else if (std::holds_alternative<ObjectExpr>(given.node)) {
      kind(field, Type::object, given.where);
    } else if (std::holds_alternative<Concat>(given.node) && field.type != Type::file) {
      kind(field, Type::string, given.where);
    }
  }

  void kind(const Field& field, Type type, const Place& where) {
    if (field.type == Type::any || field.type == type) return;
    report_.error(Code::argument_type, fmt::format("{}: argument '{}' is of the type {}, not {}", what_, field.name, word(field.type), word(type)),
                  where);
  }

  void value(const Field& field, const Json& given, const Place& where) {
    if (given.is_null()) {  // the same as not given
      if (field.required && !field.default_value) {
        report_.error(Code::argument_missing, fmt::format("{} needs the argument '{}' ({}), and null is none", what_, field.name, word(field.type)),
                      where);
      }
      return;
    }
    if (auto trouble = file_trouble(given, field.type)) {
      report_.error(trouble->code, fmt::format("{}: argument '{}': {}", what_, field.name, trouble->message), where);
    } else if (!has_type(given, field.type)) {
      report_.error(Code::argument_type,
                    fmt::format("{}: argument '{}' is of the type {}, and {} is not", what_, field.name, word(field.type), abbreviated(given)),
                    where);
    } else if (!is_allowed(given, field)) {
      report_.error(
          Code::argument_enum,
          fmt::format("{}: argument '{}' must be one of {}, not {}", what_, field.name, abbreviated(Json(field.allowed)), abbreviated(given)), where);
    }
  }

  const Step& step_;
  const Definition& target_;
  std::string what_;
  Report& report_;
  Place child_argument_;
  std::vector<std::string> transformed_;
};

}  // namespace

void check_arguments_given(const Step& step, const Definition& target, const Node& instruction, std::string_view what, Report& report) {
  ArgumentCheck check{step, target, what, report};
  const auto* transform = instruction.find("transform_arguments");
  const auto* results = transform == nullptr || transform->kind != JsonKind::object ? nullptr : transform->find("transforms");
  if (results != nullptr && results->kind == JsonKind::object) check.results(*results);
  const auto* arguments = instruction.find("arguments");
  check.names(arguments);
  check.literals();
  check.required(arguments != nullptr ? arguments->where : instruction.where);
  const auto* parallel = instruction.find("parallel_execution");
  if (parallel == nullptr || parallel->kind != JsonKind::object) return;
  if (const auto* name = parallel->find("child_argument_name")) check.child_argument_at(name->where);
  check.items(parallel->find("iterate_over"));
}

void check_inputs_given(const Step& step, const Definition& target, const Node* given, std::string_view what, Report& report) {
  ArgumentCheck check{step, target, what, report};
  check.names(given);
  check.literals();
  check.required(given != nullptr ? given->where : step.where);
}

}  // namespace catena::lang
