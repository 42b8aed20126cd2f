#include "lang/dialect/tool/tool_transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "lang/dialect/shared/dotted_key.hpp"
#include "lang/expr/error.hpp"
#include "lang/expr/inspect.hpp"
#include "lang/expr/parser.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kTransformArguments = "transform_arguments";
constexpr std::string_view kTransformResponses = "transform_responses";
constexpr std::array<std::string_view, 2> kTransformFields{"variables", "transforms"};

/// One of them sets what the other one sets, or a part of it.
bool overlap(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto apart = std::ranges::mismatch(a, b);
  return apart.in1 == a.end() || apart.in2 == b.end();
}

bool is_variable_name(const std::string& name) {
  const auto tree = expr::parse(name);
  const auto* form = tree ? std::get_if<expr::Name>(&(*tree)->form) : nullptr;
  return form != nullptr && form->name == name;
}

/// What differs between the two transforms.
struct Scene {
  std::string_view field;
  Sees sees = Sees::settled;
  expr::Names own;                    // what stands in the object; nothing: not known before it is there
  const std::string* item = nullptr;  // the argument that carries it, where expressions see the item
  const Schema* declared = nullptr;   // what the results are set on, where it is known
};

class TransformReader {
 public:
  TransformReader(ObjectReader& instruction, const Scene& scene, StepIndex self, const Names& names, Report& report)
      : scene_{scene}, self_{self}, names_{names}, report_{report}, what_{fmt::format("{}: {}", instruction.what(), scene.field)} {}

  std::optional<Transform> read(const Node& node) {
    ObjectReader reader{node, what_, report_};
    reader.only(kTransformFields);
    if (const auto* variables = object(reader, "variables")) read_variables(*variables);
    if (const auto* transforms = object(reader, "transforms")) read_results(*transforms);
    if (!transform_.variables.empty() && !reader.has("transforms")) {
      report_.warn(Code::field_missing, fmt::format("{} has 'variables' and no 'transforms', so it changes nothing", what_), node.where);
    }
    if (transform_.results.empty()) return std::nullopt;
    return std::move(transform_);
  }

 private:
  /// Null is as good as absent.
  static const Node* object(ObjectReader& reader, std::string_view key) {
    const auto* node = reader.any(key);
    return node == nullptr || node->kind == JsonKind::null ? nullptr : reader.of_kind(key, JsonKind::object);
  }

  ExprReader values_of(std::string_view key) { return ExprReader{names_, self_, fmt::format("{}: '{}'", what_, key), report_, scene_.sees}; }

  void read_variables(const Node& variables) {
    for (const auto& member : variables.members) {
      if (!is_variable_name(member.key)) {
        report_.error(
            Code::id_invalid,
            fmt::format("{}: no expression can name the variable '{}'; use letters, digits and '_', and no word of the language", what_, member.key),
            member.where);
      }
      auto value = values_of(member.key).read_variable(member.value, scene_.own);
      const bool sees_item = this->sees_item(value);
      transform_.variables.push_back({member.key, std::move(value), sees_item});
    }
  }

  void read_results(const Node& transforms) {
    auto visible = scene_.own;
    if (visible.variables) {
      for (const auto& variable : transform_.variables) visible.variables->push_back(variable.name);
    }
    for (const auto& member : transforms.members) {
      read_result(member, visible);
      if (visible.variables) visible.variables->push_back(split_at_dots(member.key).front());
    }
    if (scene_.item != nullptr) follow_the_item();
  }

  void read_result(const Member& member, const expr::Names& visible) {
    const auto key = split_at_dots(member.key);
    check_key(key, member);
    if (member.value.kind != JsonKind::string) {
      const auto* hint = member.value.kind == JsonKind::list || member.value.kind == JsonKind::object
                             ? "a list or an object is a variable, or is written in the expression"
                             : "a constant is an expression too";
      report_.error(Code::field_type,
                    fmt::format("{}: '{}' must be an expression in a string, not {}; {}", what_, member.key, with_article(member.value.kind), hint),
                    member.value.where);
      return;
    }
    auto values = values_of(member.key);
    auto computed = values.compute(member.value, visible);
    if (!computed) return;
    keep_plain_path(*computed, key);
    const bool sees_item = scene_.item != nullptr && (key.front() == *scene_.item || this->sees_item(*computed));
    transform_.results.push_back({key, std::move(*computed), sees_item, member.value.where});
  }

  void check_key(const std::vector<std::string>& key, const Member& member) {
    if (std::ranges::find(key, "") != key.end()) {
      report_.error(Code::id_invalid, fmt::format("{}: '{}' has an empty part; a dot stands between the names of nested fields", what_, member.key),
                    member.where);
      return;
    }
    const auto other = std::ranges::find_if(keys_, [&](const auto& known) { return overlap(known, key); });
    if (other != keys_.end()) {
      report_.error(Code::fields_exclusive, fmt::format("{}: '{}' and '{}' set the same place", what_, fmt::join(*other, "."), member.key),
                    member.where);
    }
    keys_.push_back(key);
  }

  /// A result that is nothing but a reference is handed on as it is, as in `arguments`.
  void keep_plain_path(Computed& computed, const std::vector<std::string>& key) const {
    if (scene_.declared == nullptr || key.size() > 1) return;
    const auto* reference = std::get_if<expr::Reference>(&computed.expression->root->form);
    if (reference != nullptr) keep_path(computed.references.at(reference->text), scene_.declared->find(key.front()));
  }

  /// A result that names what an earlier one of the item has set is of the item, too. So is a result that sets another part of what an
  /// earlier one of the item names and what was set before that: made beforehand, it would be seen too early.
  void follow_the_item() {
    std::set<std::string, std::less<>> set;      // by any result so far
    std::set<std::string, std::less<>> of_item;  // by those that see the item
    std::set<std::string, std::less<>> seen;     // by those, of what was set before them
    for (auto& result : transform_.results) {
      const auto& top = result.key.front();
      const auto uses = expr::uses_of(*result.value.expression).variables;
      const auto names_one = [&] { return std::ranges::any_of(uses, [&](const std::string& name) { return of_item.contains(name); }); };
      result.sees_item = result.sees_item || of_item.contains(top) || seen.contains(top) || names_one();
      if (result.sees_item) {
        of_item.insert(top);
        std::ranges::copy_if(uses, std::inserter(seen, seen.end()), [&](const std::string& name) { return set.contains(name); });
      }
      set.insert(top);
    }
  }

  // Where a text that a value holds is evaluated, it could name the item: better once too often than with no item in sight.
  [[nodiscard]] bool sees_item(const Computed& computed) const {
    if (scene_.item == nullptr) return false;
    const auto uses = expr::uses_of(*computed.expression);
    return uses.late_texts || std::ranges::any_of(uses.variables, [this](const std::string& name) {
             const auto variable = std::ranges::find(transform_.variables, name, &Transform::Variable::name);
             return variable != transform_.variables.end() ? variable->sees_item : name == *scene_.item;
           });
  }

  [[nodiscard]] bool sees_item(const Expr& expr) const {
    if (const auto* computed = std::get_if<Computed>(&expr.node)) return variable_sees_item(*computed);
    if (const auto* list = std::get_if<ListExpr>(&expr.node)) {
      return std::ranges::any_of(list->items, [this](const Expr& item) { return sees_item(item); });
    }
    const auto* object = std::get_if<ObjectExpr>(&expr.node);
    return object != nullptr && std::ranges::any_of(object->members, [this](const auto& member) { return sees_item(member.second); });
  }

  /// A variable sees no other variable.
  [[nodiscard]] bool variable_sees_item(const Computed& computed) const {
    if (scene_.item == nullptr) return false;
    const auto uses = expr::uses_of(*computed.expression);
    return uses.late_texts || uses.variables.contains(*scene_.item);
  }

  const Scene& scene_;
  StepIndex self_;
  const Names& names_;
  Report& report_;
  std::string what_;
  Transform transform_;
  std::vector<std::vector<std::string>> keys_;  // of the results
};

std::optional<Transform> read(ObjectReader& instruction, const Scene& scene, StepIndex self, const Names& names, Report& report) {
  const auto* node = instruction.of_kind(scene.field, JsonKind::object);
  if (node == nullptr) return std::nullopt;
  return TransformReader{instruction, scene, self, names, report}.read(*node);
}

}  // namespace

std::optional<Transform> read_prepare(ObjectReader& instruction, const Step& step, StepIndex self, const Names& names, Report& report) {
  const auto* target = names.definition.calls[self].target;
  Scene scene{kTransformArguments, Sees::settled, expr::Names{std::vector<std::string>{}}, nullptr, target == nullptr ? nullptr : &target->arguments};
  for (const auto& argument : std::get<ObjectExpr>(step.bind.node).members) scene.own.variables->push_back(argument.first);
  if (step.each) {
    scene.item = &step.each->as;
    scene.own.variables->push_back(step.each->as);
  }
  return read(instruction, scene, self, names, report);
}

std::optional<Transform> read_shape(ObjectReader& instruction, const Step& step, StepIndex self, const Names& names, Report& report) {
  const auto* target = names.definition.calls[self].target;
  // Tools return more than they declare, so what a plain step's expressions may name is known when the response is there.
  Scene scene{kTransformResponses, Sees::own_response, expr::Names{}, nullptr, target == nullptr || step.each ? nullptr : &target->responses};
  if (step.each) scene.own.variables.emplace();
  auto shape = read(instruction, scene, self, names, report);
  if (!shape || !step.each) return shape;
  for (const auto& result : shape->results) {
    if (result.key.front() != "response") continue;
    report.error(Code::id_reserved,
                 fmt::format("{}: {}: 'response' is the list of a fan-out's responses; results stand beside it, under keys of their own",
                             instruction.what(), kTransformResponses),
                 result.where);
  }
  return shape;
}

std::vector<std::string> keys_added(const Node& instruction) {
  std::vector<std::string> keys;
  const auto* shape = instruction.find(kTransformResponses);
  const auto* transforms = shape == nullptr || shape->kind != JsonKind::object ? nullptr : shape->find("transforms");
  if (transforms == nullptr || transforms->kind != JsonKind::object) return keys;
  for (const auto& member : transforms->members) keys.push_back(split_at_dots(member.key).front());
  return keys;
}

}  // namespace catena::lang
