#include "lang/run/plan_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lang/run/evaluate.hpp"

namespace catena::lang {
namespace {

constexpr std::size_t kNamed = 10;  // steps that the summary names of a kind

struct Became {
  StepStatus status = StepStatus::skipped;
  StepIndex step = 0;  // the tool that says so
};

/// One tool that failed is the step's failure. A binder that was not needed is skipped, and says nothing about its step: the last tool
/// does.
Became became(const PlanResult::PlanStep& step, const Scope& scope) {
  Became found{step.tools.empty() ? StepStatus::skipped : scope.step(step.tools.back()).status(), step.tools.empty() ? 0 : step.tools.back()};
  if (found.status == StepStatus::unsettled) found.status = StepStatus::cancelled;  // the chain ended before its turn
  for (const auto tool : step.tools) {
    const auto status = scope.step(tool).status();
    if (status == StepStatus::failed) return {status, tool};
    if (status == StepStatus::cancelled) found = {status, tool};
  }
  return found;
}

/// Names, no more of them than a person reads.
class SummaryNames {
 public:
  void add(const std::string& name) {
    if (++count_ <= kNamed) text_ += (text_.empty() ? "" : ", ") + name;
  }
  [[nodiscard]] std::string after(std::string_view what) const {
    if (count_ == 0) return {};
    return fmt::format("; {}: {}{}", what, text_, count_ > kNamed ? fmt::format(" and {} more", count_ - kNamed) : "");
  }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

/// Without the step that it begins with: the summary names that of the plan.
std::string message_of(const Json& error, std::string_view plan_step, std::string_view step) {
  const auto found = error.is_object() ? error.find("message") : error.end();
  if (found == error.end() || !found->is_string()) return "no reason is known";
  const auto& message = found->get_ref<const std::string&>();
  for (const auto id : {step, plan_step}) {
    const auto begin = fmt::format("step '{}': ", id);
    if (message.starts_with(begin)) return message.substr(begin.size());
  }
  return message;
}

class Writer {
 public:
  Writer(const Program& program, const Scope& scope) : program_{program}, scope_{scope} {}

  Result<void> step(const PlanResult::PlanStep& step) {
    const auto found = became(step, scope_);
    member(step.id, "status", to_text(Json(name(found.status))).text);
    ++steps_;
    switch (found.status) {
      case StepStatus::completed: ++completed_; return result(step.id, found.step);
      case StepStatus::failed: failed(step.id, found.step); break;
      case StepStatus::skipped: skipped_.add(step.id); break;
      case StepStatus::cancelled:
      case StepStatus::unsettled: cancelled_.add(step.id); break;
    }
    return {};
  }

  [[nodiscard]] std::string take() && {
    const auto more = failed_ > kNamed ? fmt::format("; {} more failed", failed_ - kNamed) : std::string{};
    const auto summary = fmt::format("{} of {} step{} completed{}{}{}{}", completed_, steps_, steps_ == 1 ? "" : "s", failures_, more,
                                     skipped_.after("skipped"), cancelled_.after("cancelled"));
    return fmt::format(R"({{{}"result_summary":{}}})", out_, to_text(Json(summary)).text);
  }

 private:
  void member(std::string_view id, std::string_view what, std::string_view text) {
    out_ += fmt::format("{}:", to_text(Json(fmt::format("step_{}_{}", id, what))).text);
    out_ += text;
    out_ += ',';
  }

  Result<void> result(const std::string& id, StepIndex tool) {
    const Expr whole{Ref{Root::step, tool, {}, program_.steps[tool].id}, {}};
    const auto response = evaluate(whole, program_, scope_);
    if (!response) return fail(response.error());
    member(id, "result", response->text);
    return {};
  }

  void failed(const std::string& id, StepIndex tool) {
    const auto error = scope_.step(tool).error();
    member(id, "error", to_text(error).text);
    if (++failed_ <= kNamed) failures_ += fmt::format("; step '{}' failed: {}", id, message_of(error, id, program_.steps[tool].id));
  }

  const Program& program_;
  const Scope& scope_;
  std::string out_;
  std::size_t steps_ = 0, completed_ = 0, failed_ = 0;
  std::string failures_;
  SummaryNames skipped_, cancelled_;
};

}  // namespace

Result<std::string> plan_result(const Program& program, const PlanResult& plan, const Scope& scope) {
  Writer writer{program, scope};
  for (const auto& step : plan.steps) {
    if (auto written = writer.step(step); !written) return fail(std::move(written.error()));
  }
  return std::move(writer).take();
}

}  // namespace catena::lang
