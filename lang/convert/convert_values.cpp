#include "lang/convert/convert_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "lang/convert/convert_expression.hpp"
#include "lang/expr/print.hpp"
#include "lang/program/reference.hpp"
#include "lang/template/text_template_nodes.hpp"

namespace catena::lang::convert {
namespace {

constexpr std::string_view kOutcome[] = {"status", "error", "error_message"};

std::string quoted(const std::string& text) { return expr::print(expr::Node{expr::Literal{text}}); }

std::string dotted(const std::vector<std::string>& path, std::size_t from = 0) {
  std::string out;
  for (std::size_t index = from; index < path.size(); ++index) out += (out.empty() ? "" : ".") + path[index];
  return out;
}

/// `base` is a reference or any expression.
std::string property(const std::string& base, const std::string& path) { return fmt::format("get_object_property({}, {})", base, quoted(path)); }

/// How a missing part is spoken of: as the reference does it itself, as null, or as an error.
Value reached(const Ref& ref, const std::string& base, const std::string& path) {
  const auto found = property(base, path);
  return {std::nullopt, ref.lenient ? fmt::format("default({}, null)", found) : found};
}

Value plain(std::string reference) { return {Pretty(reference), reference}; }

/// A path in the file store is what other dialects see; the bare reference would be the content.
std::string path_of_file(const Field* field, std::string reference) {
  return field != nullptr && field->type == Type::file ? reference + ".path" : reference;
}

/// Expressions know fewer characters in a reference than strings do.
bool stands_in_expressions(std::string_view reference) {
  return reference.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:") == std::string_view::npos;
}

std::string text_or_nothing(const Value& value) { return fmt::format("if({0} == null, \"\", to_string({0}))", value.expression); }

const Node* string_at(const Node& node, const Place& where) {
  if (node.kind == JsonKind::string) return node.where == where ? &node : nullptr;
  for (const auto& item : node.items) {
    if (const auto* found = string_at(item, where)) return found;
  }
  for (const auto& member : node.members) {
    if (const auto* found = string_at(member.value, where)) return found;
  }
  return nullptr;
}

/// The template of a composite that is written there.
std::optional<text_template::Block> template_at(const Definition& definition, const Place& where) {
  const auto* node = string_at(*definition.document, where);
  if (node == nullptr) return std::nullopt;
  const auto& text = node->scalar.get_ref<const std::string&>();
  auto block = text_template::parse(text, "template", TemplateForms::expressions);
  return block ? std::optional{std::move(*block)} : std::nullopt;
}

}  // namespace

void Findings::cannot(std::string message, const Place& where) { problems.push_back(make_error(Code::not_convertible, std::move(message), where)); }

void Findings::note(std::string message, const Place& where) {
  const auto same = [&](const Error& known) { return known.message == message && known.where == where; };
  if (std::ranges::none_of(warnings, same)) warnings.push_back(make_error(Code::not_convertible, std::move(message), where));
}

std::string literal_expression(const Json& value) {
  if (value.is_string()) return quoted(value.get<std::string>());
  std::string out;
  if (value.is_array()) {
    for (const auto& item : value) out += (out.empty() ? "" : ", ") + literal_expression(item);
    return '[' + out + ']';
  }
  if (value.is_object()) {
    for (const auto& [key, item] : value.items()) out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", quoted(key), literal_expression(item));
    return '{' + out + '}';
  }
  return value.dump();
}

std::optional<Pretty> literal_json(const Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (literal_text(text) != text) return std::nullopt;  // the backslash would be taken for an escape
    return is_reference(text) ? Pretty("\\" + text) : Pretty(text);
  }
  if (!value.is_structured()) return Pretty(value);
  auto out = value.is_array() ? Pretty::array() : Pretty::object();
  for (const auto& [key, item] : value.items()) {
    auto part = literal_json(item);
    if (!part) return std::nullopt;
    if (value.is_array()) {
      out.push_back(std::move(*part));
    } else {
      out[key] = std::move(*part);
    }
  }
  return out;
}

std::nullopt_t ValueWriter::cannot(std::string_view why, const Place& where) {
  findings_.cannot(fmt::format("{}: {}", what_, why), where);
  return std::nullopt;
}

std::optional<Value> ValueWriter::write(const Expr& expr) {
  if (const auto* literal = std::get_if<Literal>(&expr.node)) return Value{literal_json(literal->value), literal_expression(literal->value)};
  if (const auto* ref = std::get_if<Ref>(&expr.node)) return write(*ref, expr.where);
  if (const auto* items = std::get_if<ListExpr>(&expr.node)) return list(items->items);
  if (const auto* members = std::get_if<ObjectExpr>(&expr.node)) return object(*members);
  if (std::holds_alternative<Templated>(expr.node)) return write_template(expr.where);
  if (const auto* computed = std::get_if<Computed>(&expr.node)) return write(*computed, expr.where);
  if (const auto* named = std::get_if<Named>(&expr.node)) return write(*named, expr.where);
  if (const auto* joined = std::get_if<Concat>(&expr.node)) {
    std::vector<Value> parts;
    for (const auto& part : joined->parts) {
      auto value = write(part);
      if (!value) return std::nullopt;
      parts.push_back(std::move(*value));
    }
    return concat(std::move(parts));
  }
  return cannot("this value has no counterpart in a tool definition", expr.where);
}

std::optional<Value> ValueWriter::write(const Ref& ref, const Place& where) {
  switch (ref.root) {
    case Root::input: return of_input(ref, where);
    case Root::state: {
      if (ref.path.empty()) return cannot("the whole state has no counterpart in a tool definition", where);
      const auto* known = variable(ref.path.front(), where);
      if (known == nullptr) return std::nullopt;
      if (ref.path.size() == 1) return known->value;
      return reached(ref, known->value.expression, dotted(ref.path, 1));
    }
    case Root::item:
    case Root::context: return cannot(fmt::format("'{}' has no counterpart in a tool definition", ref.text), where);
    case Root::response:
      if (names_.inside)
        return ref.path.empty() ? cannot("the whole response cannot be named in transform_responses", where)
                                : std::optional{plain("REF:response." + dotted(ref.path))};
      break;
    case Root::step: break;
  }
  const auto step = ref.root == Root::step ? ref.step : names_.self.value_or(0);
  const auto& responses = names_.program.steps[step].responses;
  const auto& id = names_.ids[step];
  const auto whole = fmt::format("REF:{}.response", id);
  if (responses.find("response") != nullptr && (ref.path.empty() || ref.path.front() != "response")) {
    if (ref.path.empty())
      return cannot(fmt::format("'{}': the tool has a response called 'response', which a reference to the whole would mean", ref.text), where);
  }
  if (ref.path.empty()) return plain(whole);
  const auto* field = responses.find(ref.path.front());
  const bool outcome = std::ranges::find(kOutcome, std::string_view{ref.path.front()}) != std::end(kOutcome);
  const bool by_rule = !ref.lenient && !exact_;
  const bool there = field != nullptr && field->required;
  const bool alike = by_rule || (there && ref.path.size() == 1) || (there && ref.lenient && ref.path.size() == 2 && field->type == Type::object);
  if (alike && (by_rule || there || !outcome)) {
    const auto reference = fmt::format("REF:{}.{}", id, dotted(ref.path));
    auto value = plain(ref.path.size() == 1 ? path_of_file(field, reference) : reference);
    if (!stands_in_expressions(reference)) value.expression = property(whole, dotted(ref.path));
    return value;
  }
  if (responses.find("response") != nullptr) {
    return cannot(
        fmt::format("'{}': the tool has a response called 'response', so its other responses can be asked for only if it always returns them",
                    ref.text),
        where);
  }
  return reached(ref, whole, dotted(ref.path));
}

/// A reference of a strict pipeline: get_object_property(whole, "path"), which is the one expression that these dialects are lowered to.
std::optional<Value> ValueWriter::write(const Computed& computed, const Place& where) {
  const auto* call = std::get_if<expr::Call>(&computed.expression->root->form);
  const auto* path = call == nullptr || call->arguments.size() != 2 ? nullptr : std::get_if<expr::Literal>(&call->arguments[1].value->form);
  if (path == nullptr || call->function != "get_object_property" || computed.references.size() != 1 || !path->value.is_string()) {
    return cannot("this expression has no counterpart in a tool definition", where);
  }
  auto ref = computed.references.begin()->second;
  std::istringstream segments{path->value.get<std::string>()};
  for (std::string segment; std::getline(segments, segment, '.');) ref.path.push_back(segment);
  exact_ = true;
  auto value = write(ref, where);
  exact_ = false;
  return value;
}

std::optional<Value> ValueWriter::of_input(const Ref& ref, const Place& where) {
  if (ref.path.empty()) return whole_input(ref, where);
  const auto& declared = names_.program.arguments;
  const auto* field = declared.find(ref.path.front());
  if (!is_segment(ref.path.front())) return cannot(fmt::format("'{}': no reference can name that argument", ref.text), where);
  if (exact_ && (field == nullptr || !(field->required || field->default_value))) {
    return cannot(fmt::format("'{}' is an error when '{}' is not given; a tool definition reads null: make it required or give it a default",
                              ref.text, ref.path.front()),
                  where);
  }
  const auto base = path_of_file(field, "REF:arguments." + ref.path.front());
  if (ref.path.size() == 1) return plain(base);
  const bool by_rule = !ref.lenient && !exact_;
  if (by_rule || (ref.lenient && ref.path.size() == 2 && field != nullptr && field->type == Type::object)) {
    return plain("REF:arguments." + dotted(ref.path));
  }
  return reached(ref, base, dotted(ref.path, 1));
}

/// All arguments by their names, if all of them are always there.
std::optional<Value> ValueWriter::whole_input(const Ref& ref, const Place& where) {
  const auto& declared = names_.program.arguments;
  const bool certain = std::ranges::all_of(declared.fields, [](const Field& field) { return field.required || field.default_value.has_value(); });
  if (declared.additional || !certain) {
    return cannot(fmt::format("'{}': a tool definition has no name for all its arguments; that all of them are known takes "
                              "\"additionalProperties\": false, and each required or with a default",
                              ref.text),
                  where);
  }
  Value value{Pretty::object(), ""};
  for (const auto& field : declared.fields) {
    const auto reference = path_of_file(&field, "REF:arguments." + field.name);
    (*value.json)[field.name] = reference;
    value.expression += fmt::format("{}{}: {}", value.expression.empty() ? "" : ", ", quoted(field.name), reference);
  }
  value.expression = '{' + value.expression + '}';
  return value;
}

std::optional<Value> ValueWriter::list(const std::vector<Expr>& items) {
  Value value{Pretty::array(), ""};
  bool sayable = true;
  for (const auto& item : items) {
    auto part = write(item);
    if (!part) {
      sayable = false;
      continue;  // to find all that cannot be said
    }
    value.expression += (value.expression.empty() ? "" : ", ") + part->expression;
    if (value.json && part->json) {
      value.json->push_back(std::move(*part->json));
    } else {
      value.json.reset();
    }
  }
  value.expression = '[' + value.expression + ']';
  return sayable ? std::optional{std::move(value)} : std::nullopt;
}

std::optional<Value> ValueWriter::object(const ObjectExpr& object) {
  Value value{Pretty::object(), ""};
  bool sayable = true;
  for (const auto& [key, member] : object.members) {
    auto part = write(member);
    if (!part) {
      sayable = false;
      continue;
    }
    value.expression += fmt::format("{}{}: {}", value.expression.empty() ? "" : ", ", quoted(key), part->expression);
    if (value.json && part->json) {
      (*value.json)[key] = std::move(*part->json);
    } else {
      value.json.reset();
    }
  }
  value.expression = '{' + value.expression + '}';
  return sayable ? std::optional{std::move(value)} : std::nullopt;
}

std::optional<Value> ValueWriter::concat(std::vector<Value> parts) {
  std::string expression;
  for (const auto& part : parts) {
    const bool text = part.json && part.json->is_string() && !is_reference(part.json->get_ref<const std::string&>());
    expression += (expression.empty() ? "" : ", ") + (text ? part.expression : text_or_nothing(part));
  }
  return Value{std::nullopt, fmt::format("concat({})", expression.empty() ? "\"\"" : expression)};
}

std::optional<Value> ValueWriter::write_template(const Place& where) {
  const auto block = template_at(names_.definition, where);
  if (!block) return cannot("only {{ expressions }} can be said in a tool definition", where);
  const auto& nodes = block->nodes;
  if (nodes.size() == 1) {
    if (const auto* output = std::get_if<text_template::Output>(&nodes.front().form)) return expression(*output->value.expression, where);
  }
  std::vector<Value> parts;
  for (const auto& node : nodes) {
    if (const auto* text = std::get_if<text_template::Text>(&node.form)) {
      parts.push_back({Pretty(text->text), quoted(text->text)});
      if (is_reference(text->text)) parts.back().json = Pretty("");  // a text, whatever it begins with
      continue;
    }
    const auto* output = std::get_if<text_template::Output>(&node.form);
    auto value = output == nullptr ? std::nullopt : expression(*output->value.expression, where);
    if (!value) return output == nullptr ? cannot("only {{ expressions }} can be said in a tool definition", where) : std::nullopt;
    parts.push_back(std::move(*value));
  }
  if (parts.empty()) return Value{Pretty(""), "\"\""};
  if (parts.size() == 1) {  // no expression in it
    const auto& text = std::get<text_template::Text>(nodes.front().form).text;
    return Value{literal_json(text), quoted(text)};
  }
  return concat(std::move(parts));
}

/// By name, where it is known whose it is: the first source declares it, and always returns it.
std::optional<Value> ValueWriter::write(const Named& named, const Place& where) {
  for (const auto& source : named.sources) {
    const auto* ref = std::get_if<Ref>(&source.node);
    const auto* step = ref != nullptr && ref->root == Root::step && ref->path.empty() ? &names_.program.steps[ref->step] : nullptr;
    const auto* field = step == nullptr ? nullptr : step->responses.find(named.name);
    if (field != nullptr && field->required) {
      const auto reference = fmt::format("REF:{}.{}", names_.ids[ref->step], named.name);
      return plain(path_of_file(field, reference));
    }
    const bool certainly_not = step != nullptr && field == nullptr && !step->responses.fields.empty() && step->responses.find("data") == nullptr;
    if (!certainly_not) break;
    findings_.note(
        fmt::format("{}: '{}' is taken from a step that declares it; step '{}' comes first and does not declare it", what_, named.name, step->id),
        where);
  }
  return cannot(fmt::format("'{}' is bound by its name, and no earlier tool says that it always returns it; write where it comes from", named.name),
                where);
}

const Variable* ValueWriter::variable(const std::string& name, const Place& where) {
  const auto known = names_.variables == nullptr ? nullptr : [&]() -> const Variable* {
    const auto found = names_.variables->find(name);
    return found == names_.variables->end() ? nullptr : &found->second;
  }();
  if (known == nullptr) {
    cannot(fmt::format("nothing is known of the variable '{}' here", name), where);
    return nullptr;
  }
  if (known->uncertain) {
    cannot(fmt::format(
               "the variable '{}' is set by a step that may be skipped or fail; then it would be an error here, and null in a tool definition", name),
           where);
    return nullptr;
  }
  if (!known->problem.empty()) {
    cannot(fmt::format("the variable '{}': {}", name, known->problem), where);
    return nullptr;
  }
  return known;
}

std::optional<Value> ValueWriter::expression(const expr::Expression& expression, const Place& where) {
  Substitution substitution{expression};
  if (!substitution.possible()) return cannot("the expression looks up names while it runs, which cannot be followed", where);
  bool sayable = true;
  std::map<std::string, std::string> values;
  for (const auto& name : substitution.names()) {
    const auto* known = variable(name, where);
    if (known == nullptr) {
      sayable = false;
    } else {
      values.emplace(name, known->value.expression);
    }
  }
  if (!sayable) return std::nullopt;
  if (const auto name = substitution.bare_name()) return variable(*name, where)->value;
  return Value{std::nullopt, substitution.text(values)};
}

// ---- conditions ----------------------------------------------------------------------------------------------------------

namespace {

std::string_view operator_of(expr::Op op) {
  switch (op) {
    case expr::Op::equal: return "equals";
    case expr::Op::not_equal: return "not_equals";
    case expr::Op::less: return "less_than";
    case expr::Op::less_equal: return "less_than_or_equal";
    case expr::Op::greater: return "greater_than";
    case expr::Op::greater_equal: return "greater_than_or_equal";
    case expr::Op::in: return "in";
    case expr::Op::contains: return "contains";
    case expr::Op::either:
    case expr::Op::both:
    case expr::Op::add:
    case expr::Op::subtract:
    case expr::Op::multiply:
    case expr::Op::divide:
    case expr::Op::modulo: break;
  }
  return {};
}

Pretty group(std::string_view logic, Pretty conditions) { return {{"logic", logic}, {"conditions", std::move(conditions)}}; }

}  // namespace

std::optional<Pretty> ValueWriter::conditions(const Condition& condition) {
  const auto* truth = std::get_if<Truth>(&condition.node);
  const bool templated = truth != nullptr && std::holds_alternative<Templated>(truth->value.node);
  const auto block = templated ? template_at(names_.definition, truth->value.where) : std::nullopt;
  const auto* output = block && block->nodes.size() == 1 ? std::get_if<text_template::Output>(&block->nodes.front().form) : nullptr;
  if (output != nullptr) {
    auto made = test(*output->value.expression->root, truth->value.where);
    if (!made) return std::nullopt;
    return Pretty::array({std::move(*made)});
  }
  return cannot("this condition has no counterpart in a tool definition", condition.where);
}

std::optional<Pretty> ValueWriter::test(const expr::Node& node, const Place& where) {
  if (const auto* binary = std::get_if<expr::Binary>(&node.form)) {
    if (binary->op == expr::Op::both || binary->op == expr::Op::either) {
      auto left = test(*binary->left, where);
      auto right = test(*binary->right, where);
      if (!left || !right) return std::nullopt;
      return group(binary->op == expr::Op::both ? "AND" : "OR", Pretty::array({std::move(*left), std::move(*right)}));
    }
    if (const auto name = operator_of(binary->op); !name.empty()) {
      auto left = operand(*binary->left, where);
      auto right = operand(*binary->right, where);
      if (!left || !right) return std::nullopt;
      return Pretty{{"param", std::move(*left)}, {"operator", name}, {"value", std::move(*right)}};
    }
    return cannot("a condition of a tool definition calculates nothing", where);
  }
  if (const auto* unary = std::get_if<expr::Unary>(&node.form); unary != nullptr && unary->op == expr::UnaryOp::invert) {
    auto inner = test(*unary->operand, where);
    if (!inner) return std::nullopt;
    return group("NOT", Pretty::array({std::move(*inner)}));
  }
  auto value = operand(node, where);
  if (!value) return std::nullopt;
  return Pretty{
      {"param", std::move(*value)}, {"operator", "not_in"}, {"value", Pretty::array({nullptr, false, 0, "", Pretty::array(), Pretty::object()})}};
}

/// What a condition compares: a literal, or a variable with a path behind it.
std::optional<Pretty> ValueWriter::operand(const expr::Node& node, const Place& where) {
  if (const auto literal = constant(node)) {
    if (auto json = literal_json(*literal)) return json;
    return cannot("a text that begins with \\REF: cannot stand in a condition", where);
  }
  const auto path = path_of(node);
  if (!path) return cannot("a condition of a tool definition compares variables and constants, and nothing that is calculated", where);
  const auto* known = variable(path->front(), where);
  if (known == nullptr) return std::nullopt;
  if (!known->value.json) return cannot(fmt::format("the variable '{}' is calculated, which no condition can name", path->front()), where);
  if (path->size() == 1) return known->value.json;
  if (!known->value.json->is_string() || !is_reference(known->value.json->get_ref<const std::string&>())) {
    return cannot(fmt::format("the variable '{}' is no reference, so no condition can look into it", path->front()), where);
  }
  findings_.note(
      fmt::format("{}: where '{}' is missing, the condition of a tool definition reads null; here it would be an error", what_, dotted(*path)),
      where);
  return Pretty(known->value.json->get<std::string>() + '.' + dotted(*path, 1));
}

}  // namespace catena::lang::convert
