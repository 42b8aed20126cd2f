#include "lang/program/state_uses.hpp"

namespace catena::lang {
namespace {

class Looker {
 public:
  explicit Looker(const StateUseVisitor& visit) : visit_{visit} {}

  void look(const Expr& expr) {
    std::visit([&](const auto& node) { at(node, expr.where); }, expr.node);
  }
  void look(const Condition& condition) {
    if (const auto* test = std::get_if<Test>(&condition.node)) {
      look(test->param);
      look(test->value);
    } else if (const auto* truth = std::get_if<Truth>(&condition.node)) {
      look(truth->value);
    } else {
      for (const auto& inner : std::get<Group>(condition.node).conditions) look(inner);
    }
  }
  void look(const Transform& transform) {
    for (const auto& variable : transform.variables) look(variable.value);
    for (const auto& result : transform.results) at(result.value, result.where);
  }
  void look_into_write(const Expr& expr) {
    in_write_ = true;
    look(expr);
    in_write_ = false;
  }

 private:
  void at(const Literal&, const Place&) {}
  void at(const Ref& ref, const Place& where) {
    if (ref.root == Root::state) use(ref.path.empty() ? std::nullopt : std::optional{ref.path.front()}, where);
  }
  void at(const ListExpr& list, const Place&) {
    for (const auto& item : list.items) look(item);
  }
  void at(const ObjectExpr& object, const Place&) {
    for (const auto& member : object.members) look(member.second);
  }
  void at(const Computed& computed, const Place& where) {
    for (const auto& reference : computed.references) at(reference.second, where);
  }
  void at(const Concat& concat, const Place&) {
    for (const auto& part : concat.parts) look(part);
  }
  void at(const Named& named, const Place&) {
    for (const auto& source : named.sources) look(source);
  }
  void at(const StateOf& state, const Place& where) {
    if (!state.names) return visit_({std::nullopt, where, in_write_, true});
    for (const auto& name : *state.names) visit_({name, where, in_write_, true});
  }
  void at(const Templated& templated, const Place& where) {
    for (const auto& uses : templated.text.uses()) {
      if (uses.late_texts || uses.whole.contains(kWholeState)) use(std::nullopt, where);
      for (const auto& name : uses.variables) {
        if (name != kWholeState) use(name, where);
      }
      for (const auto& [object, segment] : uses.members) {
        if (object == kWholeState) use(segment, where);
      }
    }
  }
  void use(std::optional<std::string> name, const Place& where) { visit_({std::move(name), where, in_write_, false}); }

  const StateUseVisitor& visit_;
  bool in_write_ = false;
};

}  // namespace

void for_each_state_use(const Step& step, const StateUseVisitor& visit) {
  Looker looker{visit};
  if (step.when) looker.look(*step.when);
  if (step.each) looker.look(step.each->over);
  looker.look(step.bind);
  if (step.prepare) looker.look(*step.prepare);
  if (step.shape) looker.look(*step.shape);
  for (const auto& write : step.writes) looker.look_into_write(write.value);
}

StateNames state_read_by(const Program& program) {
  StateNames read;
  for (const auto& step : program.steps) {
    for_each_state_use(step, [&](const StateUse& use) {
      if (use.name) {
        read.names.insert(*use.name);
      } else {
        read.all = true;
      }
    });
  }
  return read;
}

}  // namespace catena::lang
