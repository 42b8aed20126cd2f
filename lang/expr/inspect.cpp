#include "lang/expr/inspect.hpp"

#include <algorithm>
#include <string_view>

namespace catena::lang::expr {
namespace {

class Inspector {
 public:
  explicit Inspector(const Expression& expression) : text_{expression.text} {}

  void look(const Node& node) {
    std::visit([&](const auto& form) { visit(node, form); }, node.form);
  }
  Uses take() && { return std::move(uses_); }

 private:
  [[nodiscard]] bool is_free(const Name& form) const { return std::ranges::find(bound_, form.name) == bound_.end(); }

  void visit(const Node&, const Literal&) {}
  void visit(const Node& node, const Reference& form) { uses_.references.push_back({form.text, text_, node.at}); }
  void visit(const Node&, const Name& form) {
    if (!is_free(form)) return;
    uses_.variables.insert(form.name);
    uses_.whole.insert(form.name);
  }
  void visit(const Node&, const Member& form) {
    const auto* object = std::get_if<Name>(&form.object->form);
    if (object == nullptr || !is_free(*object)) return look(*form.object);
    uses_.variables.insert(object->name);
    uses_.members.emplace(object->name, form.segment);
  }
  void visit(const Node&, const Index& form) { look(*form.object), look(*form.index); }
  void visit(const Node&, const Unary& form) { look(*form.operand); }
  void visit(const Node&, const Binary& form) { look(*form.left), look(*form.right); }
  void visit(const Node&, const Lambda& form) { look_with(form.parameter, *form.body); }
  void visit(const Node&, const List& form) {
    for (const auto& element : form.elements) look(*element);
  }
  void visit(const Node&, const Object& form) {
    for (const auto& member : form.members) look(*member.second);
  }
  void visit(const Node&, const Call& form) {
    uses_.files |= form.spec->purity == fn::Purity::reads_files;
    for (std::size_t param = 0; param < form.slots.size(); ++param) {
      const auto& slot = form.slots[param];
      if (slot.node == nullptr) continue;
      if (form.spec->slots[param].takes == fn::Takes::operations) {
        operations(form, *slot.node);
      } else {
        applied(slot, "item");
      }
    }
    for (const auto* argument : form.rest) look(*argument->value);
  }

  void operations(const Call& form, const Node& node) {
    if (std::holds_alternative<List>(node.form)) {
      for (const auto& operation : form.operations) applied(operation, "current");
      return;
    }
    uses_.late_texts = true;
    look(node);
  }

  /// An argument; its value may be made anew with a binding.
  void applied(const Slot& slot, std::string_view binding) {
    switch (slot.use) {
      case Use::text: {
        const auto around = std::exchange(text_, std::string_view{slot.text->text});
        look_with(binding, *slot.text->root);
        text_ = around;
        return;
      }
      case Use::per_item: return look_with(binding, *slot.node);
      case Use::late_text: uses_.late_texts = true; return look(*slot.node);
      case Use::lambda:
      case Use::value:
      case Use::absent: return look(*slot.node);
    }
  }

  void look_with(std::string_view name, const Node& node) {
    bound_.push_back(name);
    look(node);
    bound_.pop_back();
  }

  std::string_view text_;
  std::vector<std::string_view> bound_;
  Uses uses_;
};

}  // namespace

Uses uses_of(const Expression& expression) {
  Inspector inspector{expression};
  inspector.look(*expression.root);
  return std::move(inspector).take();
}

std::vector<std::string> references(const Expression& expression) {
  std::vector<std::string> found;
  for (auto& used : uses_of(expression).references) found.push_back(std::move(used.reference));
  return found;
}

}  // namespace catena::lang::expr
