#pragma once
// Transforms put into programs by hand, so that these tests say what happens at run time whatever a dialect spells.
#include <functional>

#include "lang/expr/check.hpp"
#include "lang/expr/inspect.hpp"
#include "tests/coordinator/definitions.hpp"

namespace catena::coordinator::test {

/// REF:response…, REF:arguments…, REF:<execution_id>….
inline lang::Ref reference(const lang::Program& program, const std::string& text) {
  lang::Ref ref;
  ref.text = text;
  for (std::size_t from = 4; from <= text.size();) {
    const auto dot = std::min(text.find('.', from), text.size());
    ref.path.push_back(text.substr(from, dot - from));
    from = dot + 1;
  }
  const auto context = ref.path.front();
  ref.path.erase(ref.path.begin());
  ref.root = context == "response" ? lang::Root::response : context == "arguments" ? lang::Root::input : lang::Root::step;
  if (ref.root == lang::Root::step) ref.step = program.find_step(context).value();
  return ref;
}

class HandMade {
 public:
  explicit HandMade(const lang::Program& program) : program_{program} {}

  HandMade& variable(const std::string& name, const std::string& ref, bool sees_item = false) {
    made_.variables.push_back({name, lang::Expr{reference(program_, ref), {}}, sees_item});
    return *this;
  }
  HandMade& constant(const std::string& name, Json value) {
    made_.variables.push_back({name, lang::Expr{lang::Literal{std::move(value)}, {}}, false});
    return *this;
  }
  /// A result under a key without dots.
  HandMade& set(const std::string& key, const std::string& expression, bool sees_item = false) {
    lang::Transform::Result result;
    result.key = {key};
    result.value.expression = lang::expr::compile(expression, {}).value();
    for (const auto& text : lang::expr::references(*result.value.expression)) result.value.references.emplace(text, reference(program_, text));
    result.sees_item = sees_item;
    made_.results.push_back(std::move(result));
    return *this;
  }
  [[nodiscard]] lang::Transform take() const { return made_; }

 private:
  const lang::Program& program_;
  lang::Transform made_;
};

using Change = std::function<void(lang::Program&)>;

/// The package with its root changed. A supervisor knows it for as long as somebody holds it; see Fixture::crash.
inline Pinned changed(const Pinned& package, const Change& change) {
  auto copy = *package;
  lang::Program program = copy.main();
  change(program);
  copy.programs[copy.root] = std::make_shared<const lang::Program>(std::move(program));
  return std::make_shared<const lang::Package>(std::move(copy));
}

/// transform_arguments of a step of the root.
inline Pinned prepared(const Pinned& package, StepIndex step, const std::function<void(HandMade&)>& make) {
  return changed(package, [&](lang::Program& program) {
    HandMade made{program};
    make(made);
    program.steps[step].prepare = made.take();
  });
}
/// transform_responses of a step of the root.
inline Pinned shaped(const Pinned& package, StepIndex step, const std::function<void(HandMade&)>& make) {
  return changed(package, [&](lang::Program& program) {
    HandMade made{program};
    make(made);
    program.steps[step].shape = made.take();
  });
}

}  // namespace catena::coordinator::test
