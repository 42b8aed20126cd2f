#include "lang/template/text_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "lang/expr/check.hpp"
#include "lang/expr/error.hpp"
#include "lang/fn/path.hpp"
#include "lang/template/text_template_nodes.hpp"

namespace catena::lang::text_template {
namespace {

/// The variables of the input, and over them what loops and {% set %} made.
class ScopedVariables final : public expr::Variables {
 public:
  explicit ScopedVariables(const expr::Variables& outer) : outer_{outer} {}

  [[nodiscard]] const Json* find(std::string_view name) const override {
    const auto found = std::find_if(made_.rbegin(), made_.rend(), [name](const Made& made) { return made.name == name; });
    return found == made_.rend() ? outer_.find(name) : found->get();
  }

  [[nodiscard]] std::optional<Result<const Json*>> member(std::string_view object, std::string_view segment) const override {
    if (std::ranges::any_of(made_, [object](const Made& made) { return made.name == object; })) return std::nullopt;
    return outer_.member(object, segment);
  }

  [[nodiscard]] std::string unknown(std::string_view name) const override { return outer_.unknown(name); }

  [[nodiscard]] std::vector<std::string> names() const override {
    auto all = outer_.names();
    for (const auto& made : made_) {
      if (std::ranges::find(all, made.name) == all.end()) all.emplace_back(made.name);
    }
    return all;
  }

  /// REF:x.y of an x that the template made itself is that one's y.
  [[nodiscard]] Result<Json> reference(std::string_view text) const override {
    auto rest = text.substr(std::string_view{"REF:"}.size());
    const auto name = rest.substr(0, rest.find('.'));
    const auto found = std::find_if(made_.rbegin(), made_.rend(), [name](const Made& made) { return made.name == name; });
    if (found == made_.rend()) return outer_.reference(text);
    auto value = fn::Value::borrowed(*found->get());
    for (auto dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      rest.remove_prefix(dot + 1);
      auto part = fn::part(std::move(value), rest.substr(0, rest.find('.')));
      if (!part) return fail(expr::kUnresolved, fmt::format("the reference '{}' found nothing: {}", text, part.error()));
      value = std::move(*part);
    }
    return std::move(value).take();
  }

  [[nodiscard]] std::size_t scope() const { return made_.size(); }
  void leave(std::size_t scope) { made_.erase(made_.begin() + static_cast<std::ptrdiff_t>(scope), made_.end()); }
  /// Of the innermost scope, which begins at `scope`.
  void set(std::size_t scope, std::string_view name, Json value) {
    const auto found =
        std::find_if(made_.begin() + static_cast<std::ptrdiff_t>(scope), made_.end(), [name](const Made& made) { return made.name == name; });
    if (found == made_.end()) {
      made_.push_back({name, std::move(value), nullptr});
    } else {
      *found = {name, std::move(value), nullptr};
    }
  }
  void lend(std::string_view name, const Json& lasting) { made_.push_back({name, nullptr, &lasting}); }

 private:
  struct Made {
    std::string_view name;  // the template outlives its rendering
    Json owned;
    const Json* lent;
    [[nodiscard]] const Json* get() const { return lent != nullptr ? lent : &owned; }
  };
  const expr::Variables& outer_;
  std::vector<Made> made_;
};

class Renderer {
 public:
  explicit Renderer(const TemplateInput& input) : input_{input}, names_{input.variables} {}

  Result<void> render(const Block& block) {
    for (const auto& node : block.nodes) {
      if (auto done = std::visit([this](const auto& form) { return visit(form); }, node.form); !done) return done;
    }
    return {};
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

  Result<Json> evaluate(const Placed& placed) {
    auto value = expr::evaluate(*placed.expression, {.variables = names_,
                                                     .now = input_.now,
                                                     .limits = input_.limits.expressions,
                                                     .files = input_.files,
                                                     .warnings = input_.warnings,
                                                     .usage = &usage_});
    if (!value) {
      auto error = std::move(value.error());
      error.where = placed.where;
      return fail(std::move(error));
    }
    return value;
  }

 private:
  Result<void> visit(const Text& form) { return append(form.text, {}); }

  Result<void> visit(const Output& form) {
    const auto value = evaluate(form.value);
    if (!value) return fail(value.error());
    if (value->is_null()) return {};
    if (value->is_string()) return append(value->get_ref<const std::string&>(), form.value.where);
    return append(value->dump(-1, ' ', false, Json::error_handler_t::replace), form.value.where);
  }

  Result<void> visit(const If& form) {
    for (const auto& branch : form.branches) {
      const auto value = evaluate(branch.condition);
      if (!value) return fail(value.error());
      if (fn::truthy(*value)) return render(branch.block);
    }
    return render(form.otherwise);
  }

  Result<void> visit(const For& form) {
    const auto list = evaluate(form.over);
    if (!list) return fail(list.error());
    if (!list->is_array() && !list->is_null()) {
      const auto what =
          list->is_object() ? std::string{"an object; take keys(…) or values(…) of an object"} : fmt::format("a {}", fn::kind_of(*list));
      return fail(Code::not_a_list, fmt::format("a loop goes over a list, but this is {}", what), form.over.where);
    }
    if (list->empty()) return render(form.otherwise);
    const auto scope = std::exchange(scope_, names_.scope());
    const auto length = list->size();
    for (std::size_t index = 0; index < length; ++index) {
      // counted, so that a loop around nothing is bounded as well
      if (auto paid = charge(form.over.where); !paid) return paid;
      names_.lend(form.name, (*list)[index]);
      names_.set(scope_, "loop",
                 Json{{"index", index + 1}, {"index0", index}, {"first", index == 0}, {"last", index + 1 == length}, {"length", length}});
      if (auto done = render(form.body); !done) return done;
      names_.leave(scope_);
    }
    scope_ = scope;
    return {};
  }

  Result<void> visit(const Set& form) {
    auto value = evaluate(form.value);
    if (!value) return fail(value.error());
    names_.set(scope_, form.name, std::move(*value));
    return {};
  }

  Result<void> append(std::string_view text, const Place& where) {
    if (text.size() > input_.limits.output_bytes_max - out_.size()) {
      return fail(Code::tool_output_too_large, fmt::format("the text that the template makes is over {} bytes", input_.limits.output_bytes_max),
                  where);
    }
    out_ += text;
    return charge(where);
  }

  Result<void> charge(const Place& where) {
    if (usage_.steps == input_.limits.expressions.steps_max) {
      return fail(expr::kTooLong, fmt::format("the template takes more than {} steps", input_.limits.expressions.steps_max), where);
    }
    ++usage_.steps;
    return {};
  }

  const TemplateInput& input_;
  ScopedVariables names_;
  expr::Usage usage_;
  std::size_t scope_ = 0;  // where the innermost begins
  std::string out_;
};

/// Every expression, in the order of the text.
void for_each_expression(const Block& block, const std::function<void(const expr::Expression&)>& visit) {
  struct Look {
    const std::function<void(const expr::Expression&)>& visit;
    void operator()(const Text&) const {}
    void operator()(const Output& form) const { visit(*form.value.expression); }
    void operator()(const Set& form) const { visit(*form.value.expression); }
    void operator()(const If& form) const {
      for (const auto& branch : form.branches) {
        visit(*branch.condition.expression);
        for_each_expression(branch.block, visit);
      }
      for_each_expression(form.otherwise, visit);
    }
    void operator()(const For& form) const {
      visit(*form.over.expression);
      for_each_expression(form.body, visit);
      for_each_expression(form.otherwise, visit);
    }
  };
  for (const auto& node : block.nodes) std::visit(Look{visit}, node.form);
}

}  // namespace
}  // namespace catena::lang::text_template

namespace catena::lang {

Result<TextTemplate> TextTemplate::parse(std::string_view text, std::string_view name, TemplateForms forms) {
  auto block = text_template::parse(text, name, forms);
  if (!block) return fail(block.error());
  return TextTemplate{std::make_shared<const text_template::Block>(std::move(*block)), text};
}

Result<std::string> TextTemplate::render(const TemplateInput& input) const {
  text_template::Renderer renderer{input};
  if (auto done = renderer.render(*block_); !done) return fail(done.error());
  return renderer.take();
}

Result<Json> TextTemplate::evaluate(const TemplateInput& input) const {
  if (block_->nodes.size() == 1) {
    const auto* only = std::get_if<text_template::Output>(&block_->nodes.front().form);
    if (only != nullptr) return text_template::Renderer{input}.evaluate(only->value);
  }
  auto text = render(input);
  if (!text) return fail(text.error());
  return Json(std::move(*text));
}

std::vector<std::string> TextTemplate::references() const {
  std::vector<std::string> found;
  text_template::for_each_expression(*block_, [&](const expr::Expression& expression) {
    for (auto& text : expr::references(expression)) found.push_back(std::move(text));
  });
  return found;
}

std::vector<expr::Uses> TextTemplate::uses() const {
  std::vector<expr::Uses> found;
  text_template::for_each_expression(*block_, [&](const expr::Expression& expression) { found.push_back(expr::uses_of(expression)); });
  return found;
}

bool TextTemplate::is_plain() const {
  return std::ranges::all_of(block_->nodes, [](const text_template::Node& node) { return std::holds_alternative<text_template::Text>(node.form); });
}

}  // namespace catena::lang
