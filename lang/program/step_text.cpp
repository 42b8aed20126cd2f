#include "lang/program/step_text.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/overloads.hpp"
#include "lang/document/json_schema.hpp"

namespace catena::lang {
namespace {

/// Parts in brackets, each with its length: no two lists of parts give one text.
class Text {
 public:
  Text& add(std::string_view part) {
    text_ += fmt::format("{}:{} ", part.size(), part);
    return *this;
  }
  Text& add(bool part) { return add(part ? std::string_view{"1"} : "0"); }
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Text& add(Number number) { return add(std::string_view{std::to_string(number)}); }
  template <class List>
  requires requires(const List& list) { list.begin()->size(); }
  Text& add_all(const List& list) {
    add(list.size());
    for (const auto& one : list) add(std::string_view{one});
    return *this;
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string text_of(const Ref& ref) {
  Text text;
  text.add(static_cast<int>(ref.root)).add(ref.step).add_all(ref.path).add(ref.lenient).add(ref.file.has_value());
  if (ref.file) text.add(ref.file->segments).add(ref.file->stays_a_path);
  return std::move(text).take();
}

std::string text_of(const Computed& computed) {
  Text text;
  text.add(computed.expression->text);
  for (const auto& [written, ref] : computed.references) text.add(written).add(text_of(ref));
  return std::move(text).take();
}

std::string text_of(const Expr& expr) {
  Text text;
  text.add(expr.node.index());
  std::visit(Overloads{
                 [&](const Literal& literal) { text.add(literal.value.dump()); },
                 [&](const Ref& ref) { text.add(text_of(ref)); },
                 [&](const ListExpr& list) {
                   for (const auto& item : list.items) text.add(text_of(item));
                 },
                 [&](const ObjectExpr& object) {
                   for (const auto& [name, value] : object.members) text.add(name).add(text_of(value));
                 },
                 [&](const Computed& computed) { text.add(text_of(computed)); },
                 [&](const Templated& templated) { text.add(templated.text.source()); },
                 [&](const Concat& concat) {
                   for (const auto& part : concat.parts) text.add(text_of(part));
                 },
                 [&](const Named& named) {
                   text.add(named.name);
                   for (const auto& source : named.sources) text.add(text_of(source));
                 },
                 [&](const StateOf& state) {
                   text.add(state.names.has_value());
                   if (state.names) text.add_all(*state.names);
                 },
             },
             expr.node);
  return std::move(text).take();
}

std::string text_of(const Condition& condition) {
  Text text;
  text.add(condition.node.index());
  std::visit(Overloads{
                 [&](const Test& test) { text.add(test.op).add(text_of(test.param)).add(text_of(test.value)); },
                 [&](const Group& group) {
                   text.add(static_cast<int>(group.logic));
                   for (const auto& inner : group.conditions) text.add(text_of(inner));
                 },
                 [&](const Truth& truth) { text.add(text_of(truth.value)); },
             },
             condition.node);
  return std::move(text).take();
}

std::string text_of(const Schema& schema) {
  Text text;
  text.add(schema.additional).add(schema.json_schema != nullptr);
  if (schema.json_schema) text.add(schema.json_schema->source());
  for (const auto& field : schema.fields) {
    text.add(field.name).add(static_cast<int>(field.type)).add(field.required);
    text.add(field.default_value ? field.default_value->dump() : "").add(Json(field.allowed).dump());
  }
  return std::move(text).take();
}

std::string text_of(const Transform& transform) {
  Text text;
  for (const auto& variable : transform.variables) text.add(variable.name).add(text_of(variable.value));
  text.add(transform.variables.size());
  for (const auto& result : transform.results) text.add_all(result.key).add(text_of(result.value));
  return std::move(text).take();
}

std::string text_of(const Surroundings& surroundings) {
  Text text;
  text.add(surroundings.directory);
  for (const auto& variable : surroundings.environment)
    text.add(variable.name).add(variable.secret).add(variable.secret.empty() ? text_of(variable.value) : "");
  return std::move(text).take();
}

}  // namespace

std::string asks_text(const Step& step) {
  Text text;
  if (const auto* after = std::get_if<AfterAll>(&step.gate)) {
    for (const auto dep : after->deps) text.add(dep);
    text.add(step.finally);
  } else {
    text.add(std::string_view{"entry"});
  }
  text.add(step.when ? text_of(*step.when) : "").add(text_of(step.bind)).add(step.prepare ? text_of(*step.prepare) : "");
  text.add(text_of(step.arguments)).add(text_of(step.surroundings)).add(step.each.has_value());
  if (step.each) text.add(text_of(step.each->over)).add(step.each->as).add(step.each->carries);
  return std::move(text).take();
}

std::string answers_text(const Step& step) {
  Text text;
  text.add(text_of(step.responses)).add(step.shape ? text_of(*step.shape) : "").add(step.heeds_success);
  for (const auto& write : step.writes) text.add(write.name).add(text_of(write.value));
  if (step.gather) text.add(step.gather->state).add_all(step.gather->lists);
  if (step.each) text.add(static_cast<int>(step.each->join)).add(step.each->join_count).add(static_cast<int>(step.each->on_item_failure));
  return std::move(text).take();
}

std::string frame_text(const Program& program) {
  Text text;
  text.add(text_of(program.arguments)).add(text_of(program.responses)).add(program.outputs.index());
  if (const auto* expr = std::get_if<Expr>(&program.outputs)) text.add(text_of(*expr));
  text.add(program.entry.has_value()).add(program.entry.value_or(0)).add(program.block.has_value());
  if (program.block) text.add(program.block->item).add(program.block->branches);
  return std::move(text).take();
}

}  // namespace catena::lang
