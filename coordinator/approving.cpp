#include "coordinator/approving.hpp"

#include <fmt/format.h>

#include <memory>

#include "coordinator/evaluation.hpp"
#include "coordinator/named_step.hpp"
#include "coordinator/wrong_member.hpp"
#include "engine/approvals.hpp"
#include "engine/outstanding.hpp"
#include "lang/document/json_schema.hpp"
#include "lang/run/schema_check.hpp"

namespace catena::coordinator {
namespace {

using engine::VisitStatus;

tl::unexpected<Error> of_usage(std::string_view member, std::string words) {
  return fail(of_member(member, make_error(Code::usage, std::move(words))));
}
tl::unexpected<Error> of_edit(Error error) { return fail(of_member("edit", std::move(error))); }

/// Why nothing of the step waits.
std::string not_asked(const engine::ChainState& state, StepIndex step) {
  const auto& visit = state.steps[step];
  if (visit.status == VisitStatus::blocked) return "has not begun: it can be approved when it waits for that";
  if (visit.status != VisitStatus::running) return fmt::format("is {}, and waits for nothing", engine::name(visit.status));
  return "does not wait for approval any more";
}

Result<void> check_asked(const std::string& name, StepIndex step, const engine::Approval& approval, const SubstituteIn& in) {
  const auto refuse = [&](std::string_view why) { return fail(Code::chain_state, fmt::format("step '{}' {}", name, why)); };
  const auto& program = *in.prepared.program;
  const auto waiting = engine::waiting_for_approval(in.state, step);
  if (!program.steps[step].approve && waiting.empty())
    return of_usage("step", fmt::format("step '{}' needs no approval: its definition does not say 'approve'", name));
  if (engine::is_cut_off(in.prepared, in.state, step))
    return fail(Code::chain_state, fmt::format("chain '{}' is ending, and begins nothing that is approved", in.chain.value));
  if (waiting.empty()) return refuse(not_asked(in.state, step));
  if (!in.state.steps[step].fan_out) return {};
  if (approval.items.empty())
    return of_usage("step", fmt::format("step '{0}' is a fan-out: name the items, as in {0}/{1}; these wait: {2}", name, waiting.front(),
                                        to_text(waiting.size() > 100 ? IndexSet{waiting}.take(100) : waiting)));
  if (!IndexSet::range(0, in.state.steps[step].width).contains(approval.items))
    return of_usage("items", fmt::format("step '{}' has {} items, from 0 on; not all of {} are among them", name, in.state.steps[step].width,
                                         to_text(approval.items)));
  if (!waiting.contains(approval.items)) {
    auto others = approval.items;
    others.erase(waiting);
    auto error = make_error(Code::chain_state, fmt::format("step '{}' does not wait for the approval of {}", name, to_text(others)));
    return fail(of_member("items", std::move(error)));
  }
  return {};
}

/// Null: the answer sets nothing.
Result<engine::Payload> edited_arguments(const std::string& name, const lang::Step& step, const engine::VisitState& visit,
                                         const engine::Approval& approval, const SubstituteIn& in, Records& records) {
  const auto& rule = *step.approve;
  if (approval.arguments.empty() && rule.schema == nullptr) return engine::Payload{};
  const lang::JsonText edit{approval.arguments.empty() ? "{}" : approval.arguments.text};
  if (!rule.allow_edit)
    return of_edit(
        make_error(Code::field_value, fmt::format("the arguments of step '{}' cannot be edited: its definition does not say 'allow_edit'", name)));
  if (lang::JsonView{edit}.kind() != lang::JsonKind::object)
    return of_edit(
        make_error(Code::field_value, fmt::format("what is edited is an object of arguments, not {}", lang::name(lang::JsonView{edit}.kind()))));
  if (rule.schema != nullptr) {
    auto fits = rule.schema->check(lang::JsonView{edit}.parse(), fmt::format("what is edited of step '{}'", name));
    if (!fits) return of_edit(std::move(fits).error());
  }
  if (approval.arguments.empty()) return engine::Payload{};
  auto arguments = read_payload(in.sources.kv, visit.arguments);
  if (!arguments) return fail(std::move(arguments).error());
  auto checked = lang::check_arguments(edited(*arguments, edit), step.arguments, fmt::format("step '{}': tool '{}'", name, tool_name(step)));
  if (!checked) return of_edit(std::move(checked).error());
  return records.write(std::move(checked->text));
}

}  // namespace

lang::JsonText edited(const lang::JsonText& arguments, const lang::JsonText& edit) {
  std::string text = "{";
  const auto add = [&](std::string_view key, lang::JsonView value) {
    text += text.size() == 1 ? "" : ",";
    text += lang::to_text(Json(key)).text;
    text += ':';
    text += value.text();
    return true;
  };
  lang::JsonView{arguments}.for_each_member(
      [&](std::string_view key, lang::JsonView value) { return lang::JsonView{edit}.find(key) ? true : add(key, value); });
  lang::JsonView{edit}.for_each_member(add);
  return lang::JsonText{std::move(text) + "}"};
}

Result<engine::Approval> approval_of(const actors::Control& control, const SubstituteIn& in, Records& records) {
  auto approval = std::get<engine::Approval>(control.what);
  approval.reason = control.reason;
  if (approval.key.size() > engine::kApprovalKeyBytesMax)
    return fail(
        of_member("key", make_error(Code::field_value, fmt::format("the key of an answer has at most {} bytes", engine::kApprovalKeyBytesMax))));
  const auto step = named_step(*in.prepared.program, in.chain, control.step);
  if (!step) return fail(of_member("step", step.error()));
  approval.step = *step;
  if (engine::knows_approval(in.state, *step, approval.key)) return approval;
  const auto& declared = in.prepared.program->steps[*step];
  if (!declared.each && !approval.items.empty()) return of_usage("items", fmt::format("step '{}' is no fan-out: it has no items", control.step));
  if (auto asked = check_asked(control.step, *step, approval, in); !asked) return fail(std::move(asked).error());
  if (!declared.each) approval.items = IndexSet::one(0);
  if (!approval.approved && !approval.arguments.empty())
    return of_edit(make_error(Code::field_value, "a rejection edits no arguments: nothing runs with them"));
  if (!approval.approved || !declared.approve) {
    approval.arguments = {};
    return approval;
  }
  auto arguments = edited_arguments(control.step, declared, in.state.steps[*step], approval, in, records);
  if (!arguments) return fail(std::move(arguments).error());
  approval.arguments = std::move(*arguments);
  return approval;
}

Result<void> check_approval(const actors::Control& control, const SubstituteIn& in) {
  Records unwritten{[](const Records::Batch&) {}, std::make_shared<ContentHolds>()};
  return approval_of(control, in, unwritten).map([](const auto&) {});
}

bool knows_approval(const engine::ChainState& state, const lang::Program& program, const actors::Control& control) {
  const auto* approval = std::get_if<engine::Approval>(&control.what);
  if (approval == nullptr || approval->key.empty()) return false;
  const auto step = program.find_step(control.step);
  return step && engine::knows_approval(state, *step, approval->key);
}

}  // namespace catena::coordinator
