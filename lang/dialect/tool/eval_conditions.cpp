#include "lang/dialect/tool/eval_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "lang/dialect/tool/tool_parts.hpp"
#include "lang/program/reference.hpp"

namespace catena::lang {
namespace {

/// A step as the context tells of it.
class GivenStep final : public StepView {
 public:
  /// Nothing when the value says nothing about a step.
  static std::optional<GivenStep> of(const Json& value) {
    GivenStep step;
    if (value.is_null()) {
      step.status_ = StepStatus::skipped;
    } else if (const auto status = stated(value)) {
      step.status_ = *status;
      step.error_ = error_in(value);
      step.take(value.value("response", Json()));
    } else if (value.is_object() || value.is_array()) {
      step.take(value);
    } else {
      return std::nullopt;
    }
    return step;
  }

  [[nodiscard]] StepStatus status() const override { return status_; }
  [[nodiscard]] Json error() const override { return error_; }
  [[nodiscard]] Result<JsonText> response() const override { return to_text(response_); }
  [[nodiscard]] bool is_fan_out() const override { return response_.is_array(); }
  [[nodiscard]] std::uint32_t width() const override { return static_cast<std::uint32_t>(response_.size()); }
  [[nodiscard]] Result<JsonText> item(std::uint32_t index) const override { return to_text(response_.at(index)); }
  [[nodiscard]] Result<void> append_items(std::string& out) const override {
    out += to_text(response_).text;
    return {};
  }

 private:
  /// The status of a value that tells what became of a step; a response that merely has a key `status` does not.
  static std::optional<StepStatus> stated(const Json& value) {
    constexpr std::array<std::string_view, 4> kMembers{"status", "response", "error", "error_message"};
    if (!value.is_object()) return std::nullopt;
    for (const auto& member : value.items()) {
      if (std::ranges::find(kMembers, member.key()) == kMembers.end()) return std::nullopt;
    }
    for (const auto status : {StepStatus::completed, StepStatus::failed, StepStatus::skipped, StepStatus::cancelled}) {
      if (value.value("status", Json()) != name(status)) continue;
      return status == StepStatus::completed && !value.contains("response") ? std::nullopt : std::optional{status};
    }
    return std::nullopt;
  }

  static Json error_in(const Json& value) {
    if (!value.contains("error_message")) return value.value("error", Json());
    auto error = value.value("error", Json::object());
    if (error.is_object() && !error.contains("message")) error["message"] = value["error_message"];
    return error;
  }

  void take(Json response) { response_ = response.is_null() ? Json::object() : std::move(response); }

  StepStatus status_ = StepStatus::completed;
  Json error_;
  Json response_ = Json::object();
};

class GivenScope final : public Scope {
 public:
  GivenScope(Json arguments, std::vector<GivenStep> steps)
      : arguments_(std::move(arguments)), steps_{std::move(steps)} {}  // braces would make a list of it

  [[nodiscard]] Result<JsonText> input() const override { return to_text(arguments_); }
  [[nodiscard]] const StepView& step(StepIndex step) const override { return steps_[step]; }
  [[nodiscard]] Result<JsonText> local(Root) const override { return JsonText{}; }

 private:
  Json arguments_;
  std::vector<GivenStep> steps_;
};

/// What references of the conditions name: nobody declared steps, so whatever they name is one.
void collect_contexts(const Node& node, std::set<std::string>& contexts) {
  if (node.kind == JsonKind::string) {
    const auto& text = node.scalar.get_ref<const std::string&>();
    if (!is_reference(text)) return;
    if (const auto parsed = parse_reference(text, node.where)) contexts.insert(parsed->context);
    return;
  }
  for (const auto& item : node.items) collect_contexts(item, contexts);
  for (const auto& member : node.members) collect_contexts(member.value, contexts);
}

class Evaluation {
 public:
  tl::expected<Verdict, std::vector<Error>> run(std::string_view document) {
    const auto node = read_document(document, "conditions");
    if (!node) return tl::unexpected(std::vector{node.error()});
    if (node->kind != JsonKind::object) {
      report_.error(Code::field_type,
                    fmt::format(R"(what is evaluated is {{"context": {{…}}, "conditions": […]}}, not {})", with_article(node->kind)), node->where);
      return tl::unexpected(report_.take_errors());
    }
    ObjectReader reader{*node, "eval", report_};
    constexpr std::array<std::string_view, 2> kFields{"context", "conditions"};
    reader.only(kFields);
    reader.require("conditions", "the list that is evaluated");
    read_context(reader);
    const auto condition = read(reader);
    if (!report_.clean()) return tl::unexpected(report_.take_errors());
    if (!condition) return Verdict{};
    auto verdict = holds(*condition, program_, GivenScope{std::move(arguments_), std::move(steps_)});
    if (!verdict) return tl::unexpected(std::vector{verdict.error()});
    return std::move(*verdict);
  }

 private:
  void read_context(ObjectReader& reader) {
    const auto* context = reader.of_kind("context", JsonKind::object);
    if (context == nullptr) return;
    for (const auto& member : context->members) {
      if (member.key == "arguments") {
        if (member.value.kind == JsonKind::object) {
          arguments_ = member.value.to_json();
        } else {
          reader.wrong(Code::field_type, "context.arguments", fmt::format("must be an object, not {}", with_article(member.value.kind)),
                       member.value.where);
        }
      } else if (auto step = GivenStep::of(member.value.to_json())) {
        add_step(member.key);
        steps_.push_back(std::move(*step));
      } else {
        reader.wrong(Code::field_type, "context." + member.key,
                     fmt::format("is a step: its response (an object), a list of responses, or null, not {}", with_article(member.value.kind)),
                     member.value.where);
      }
    }
  }

  std::optional<Condition> read(ObjectReader& reader) {
    std::set<std::string> contexts;
    if (const auto* node = reader.any("conditions")) collect_contexts(*node, contexts);
    contexts.erase("arguments");
    for (const auto& context : contexts) {
      if (names_.steps.contains(context)) continue;
      add_step(context);
      steps_.push_back(*GivenStep::of(Json::object()));
      absent_.insert(static_cast<StepIndex>(steps_.size() - 1));
    }
    definition_.arguments.additional = true;
    ExprReader values{names_, std::nullopt, "eval", report_};
    auto condition = read_conditions(reader, values, report_);
    if (condition) forget_absent(*condition);
    return condition;
  }

  void add_step(const std::string& id) {
    names_.steps.emplace(id, static_cast<StepIndex>(program_.steps.size()));
    names_.fan_out.push_back(false);
    names_.added.emplace_back();
    definition_.calls.emplace_back().id = id;
    program_.steps.emplace_back().id = id;
  }

  /// A step that the context does not have is null through and through, its status as well.
  void forget_absent(Condition& condition) {
    if (auto* test = std::get_if<Test>(&condition.node)) {
      forget_absent(test->param);
      forget_absent(test->value);
      return;
    }
    for (auto& inner : std::get<Group>(condition.node).conditions) forget_absent(inner);
  }

  void forget_absent(Expr& expr) {
    if (const auto* ref = std::get_if<Ref>(&expr.node)) {
      if (ref->root == Root::step && absent_.contains(ref->step)) expr.node = Literal{};
    } else if (auto* list = std::get_if<ListExpr>(&expr.node)) {
      for (auto& item : list->items) forget_absent(item);
    } else if (auto* object = std::get_if<ObjectExpr>(&expr.node)) {
      for (auto& member : object->members) forget_absent(member.second);
    }
  }

  Report report_;
  Definition definition_;
  Names names_{definition_, kToolSpelling, {}, {}, {}};
  Program program_;
  Json arguments_ = Json::object();
  std::vector<GivenStep> steps_;
  std::set<StepIndex> absent_;
};

}  // namespace

tl::expected<Verdict, std::vector<Error>> eval_conditions(std::string_view document) { return Evaluation{}.run(document); }

}  // namespace catena::lang
