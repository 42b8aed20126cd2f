// A line with a reference, then a JSON value that it looks into: as an argument, as a step's response and as a fan-out's list. It gives a
// part of that value or says what is wrong, and a condition sees null exactly where it gives null or nothing.
#include "lang/program/reference.hpp"
#include "lang/run/conditions.hpp"
#include "lang/run/evaluate.hpp"
#include "lang/run/scope.hpp"
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"

namespace catena::fuzz {

using namespace lang;

namespace {

struct OneStep final : StepView {
  explicit OneStep(const JsonText& text) : text_{text} {}
  [[nodiscard]] StepStatus status() const override { return StepStatus::completed; }
  [[nodiscard]] Json error() const override { return nullptr; }
  [[nodiscard]] Result<JsonText> response() const override { return text_; }
  [[nodiscard]] bool is_fan_out() const override { return JsonView{text_}.kind() == JsonKind::list; }
  [[nodiscard]] std::uint32_t width() const override { return static_cast<std::uint32_t>(JsonView{text_}.size()); }
  [[nodiscard]] Result<JsonText> item(std::uint32_t index) const override { return JsonText{std::string{JsonView{text_}.at(index)->text()}}; }
  [[nodiscard]] Result<void> append_items(std::string& out) const override {
    out += text_.text;
    return {};
  }

 private:
  const JsonText& text_;
};

struct OneValue final : Scope {
  explicit OneValue(const JsonText& text) : text_{text}, step_{text} {}
  [[nodiscard]] Result<JsonText> input() const override { return text_; }
  [[nodiscard]] Result<std::optional<JsonText>> variable(std::string_view) const override { return text_; }
  [[nodiscard]] const StepView& step(StepIndex) const override { return step_; }
  [[nodiscard]] Result<JsonText> local(Root) const override { return text_; }

 private:
  const JsonText& text_;
  OneStep step_;
};

void look(Root root, const ReferenceText& reference, const Program& program, const Scope& scope) {
  const Expr expr{Ref{root, 0, reference.segments, "REF:x"}, {}};
  const auto value = evaluate(expr, program, scope);
  bool is_null = true;
  if (value) {
    check(parse_json_text(value->text).has_value(), "a reference gives JSON", value->text);
    is_null = JsonView{*value}.is_null();
  } else {
    check(value.error().code == Code::reference_unresolved, "a reference finds something or nothing", value.error().message);
  }
  const auto exists = holds(Condition{Test{"exists", expr, {}}, {}}, program, scope);
  check(exists && exists->holds == !is_null, "a condition sees null where there is nothing");
}

}  // namespace

void fuzz_reference(std::string_view text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos || !is_reference(text.substr(0, end))) return;
  const auto reference = parse_reference(text.substr(0, end), Place{"f", 1, 1});
  if (!reference) {
    check(reference.error().code == Code::reference_syntax, "a refusal is one of syntax", reference.error().message);
    return;
  }
  check(!reference->segments.empty(), "a reference has a segment", text);
  const auto value = parse_json_text(text.substr(end + 1));
  if (!value) return;
  Program program;
  program.steps.emplace_back().id = std::string{"s"};
  const OneValue scope{*value};
  for (const auto root : {Root::input, Root::state, Root::response, Root::item}) look(root, *reference, program, scope);
  const auto kind = JsonView{*value}.kind();
  if (kind == JsonKind::object || kind == JsonKind::list) look(Root::step, *reference, program, scope);
}

}  // namespace catena::fuzz
