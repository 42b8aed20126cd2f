// What a person asks of a chain that exists, and of workers.
#include <fmt/format.h>

#include <limits>

#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "api/preview.hpp"
#include "api/reach.hpp"
#include "base/random.hpp"
#include "client/records.hpp"
#include "coordinator/forked_id.hpp"

namespace catena::api {
namespace {

Errand control_errand(const Asked& asked, actors::Control control) {
  control.chain = asked.chain();
  return {std::move(control), asked.chain(), asked.wait};
}

/// "3,7-9" of a member.
IndexSet items_in(Members& members, std::string_view member) {
  const auto text = members.text(member);
  if (text.empty()) return {};
  auto items = index_set_from_text(text);
  if (!items)
    members.wrong(make_error(Code::field_value, fmt::format("'{}' must be a set of items such as 3,7-9, and is '{}'", member, text)), member);
  return items.value_or(IndexSet{});
}

/// The text of a JSON value of the body; nothing where it is not there.
std::optional<std::string> value_in(const Asked& asked, Members& members, std::string_view member) {
  const bool given = asked.body->root().find(member) != nullptr;
  static_cast<void>(members.any(member));
  return given ? std::optional{lang::to_text(asked.body->root().find(member)->to_json()).text} : std::nullopt;
}

Outcome<actors::RepairWish> wish_in(Members& members) {
  actors::RepairWish wish;
  wish.only_failed = members.flag("failed");
  wish.from = members.texts("from");
  wish.where = members.text("where");
  if (const auto* by_step = members.object("items")) {
    for (const auto& [step, where, value] : by_step->members) {
      auto items = value.kind == lang::JsonKind::string ? index_set_from_text(value.scalar.get<std::string>()) : std::nullopt;
      if (!items)
        members.wrong(make_error(Code::field_value, fmt::format("the items of step '{}' must be a text such as 3,7-9", step), where), "items");
      else
        wish.items[step] = std::move(*items);
    }
  }
  return wish;
}

/// The body of a control that says nothing but why.
Outcome<std::string> reason_in(const Asked& asked) {
  Members members{asked.body->root()};
  auto reason = members.text("reason");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  return reason;
}

/// A control that says nothing but why.
template <class Control>
Worked plain_control(const Asked& asked, Control what) {
  auto reason = reason_in(asked);
  if (!reason) return refuse(std::move(reason).error());
  actors::Control control{{}, std::move(what)};
  control.reason = std::move(*reason);
  return control_errand(asked, std::move(control));
}

/// A whole number of the body; nothing where it is not there.
template <class Number>
std::optional<Number> count_in(const Asked& asked, Members& members, std::string_view member) {
  const auto* value = asked.body->root().find(member);
  static_cast<void>(members.any(member));
  if (value == nullptr) return std::nullopt;
  const auto json = value->to_json();
  if (json.is_number_integer() && json >= std::numeric_limits<Number>::min() && json <= std::numeric_limits<Number>::max()) return json.get<Number>();
  members.wrong(make_error(Code::field_value, fmt::format("'{}' must be a whole number", member)), member);
  return std::nullopt;
}

Worked answer_errand(const Asked& asked, bool approved) {
  Members members{asked.body->root()};
  actors::Control control{{}, engine::Approval{.approved = approved}};
  auto& approval = std::get<engine::Approval>(control.what);
  control.step = members.text("step", true);
  approval.items = items_in(members, "items");
  approval.key = members.text("key");
  control.reason = members.text("reason");
  if (approved) {
    if (const auto edit = value_in(asked, members, "edit")) approval.arguments = engine::inline_payload(*edit);
  }
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  return control_errand(asked, std::move(control));
}

Worked node_errand(const Asked& asked, actors::NodeVerb verb) {
  auto reason = reason_in(asked);
  if (!reason) return refuse(std::move(reason).error());
  return Errand{actors::NodeControl{.worker = WorkerId{asked.path.at("node")}, .what = verb, .reason = std::move(*reason)}};
}

Problem no_such_task(Error error) {
  Problem problem{std::move(error)};
  if (problem.error.code == Code::usage) problem.status = 422;
  return problem;
}

}  // namespace

Worked cancel_chain(const Asked& asked, const Means&) {
  Members members{asked.body->root()};
  engine::Cancel cancel;
  cancel.reason = members.text("reason");
  cancel.now = members.flag("now");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  return control_errand(asked, {{}, std::move(cancel)});
}

Worked kill_chain(const Asked& asked, const Means&) {
  auto reason = reason_in(asked);
  if (!reason) return refuse(std::move(reason).error());
  return control_errand(asked, {{}, engine::Cancel{std::move(*reason), true}});
}

Worked pause_chain(const Asked& asked, const Means&) { return plain_control(asked, engine::Pause{}); }
Worked unpause_chain(const Asked& asked, const Means&) { return plain_control(asked, engine::Unpause{}); }

Worked amend_chain(const Asked& asked, const Means&) {
  Members members{asked.body->root()};
  actors::Control control{{}, engine::Amend{}};
  auto& amend = std::get<engine::Amend>(control.what);
  control.step = members.text("step");
  control.reason = members.text("reason");
  amend.priority = count_in<std::int32_t>(asked, members, "priority");
  amend.terms.window = count_in<std::uint32_t>(asked, members, "max_concurrency");
  amend.terms.attempts = count_in<std::uint32_t>(asked, members, "retry_attempts");
  if (const auto text = members.text("tolerate"); !text.empty()) {
    if (auto put = engine::put_tolerance(amend.terms, text); !put) members.wrong(std::move(put).error(), "tolerate");
  }
  if (const auto text = members.text("timeout"); !text.empty()) {
    const auto span = parse_duration(text);
    if (!span)
      members.wrong(make_error(Code::field_value, fmt::format("'timeout' must be a span such as 250ms, 5s or 2m, and is '{}'", text)), "timeout");
    if (span) amend.terms.timeout_ms = span->count();
  }
  if (const auto text = members.text("deadline"); !text.empty()) {
    auto deadline = read_deadline_or_none(text);
    if (!deadline) members.wrong(std::move(deadline).error(), "deadline");
    if (deadline) amend.deadline = *deadline;
  }
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  return control_errand(asked, std::move(control));
}

Worked signal_chain(const Asked& asked, const Means&) {
  Members members{asked.body->root()};
  actors::Control control{{}, engine::Signal{}};
  auto& signal = std::get<engine::Signal>(control.what);
  signal.name = members.text("name", true);
  signal.key = members.text("key");
  control.reason = members.text("reason");
  const auto data = value_in(asked, members, "data");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  signal.data = engine::inline_payload(data.value_or("{}"));
  return control_errand(asked, std::move(control));
}

Worked list_approvals(const Asked& asked, const Means& means) {
  coordinator::ListApprovals ask;
  ask.after = asked.text("cursor");
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.about = asked.text("chain");
  ask.who = asked.text("who");
  auto of = namespace_meant(asked.namespace_, asked.text("namespace"));
  if (!of) return refuse(std::move(of).error());
  ask.namespace_ = std::move(*of);
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error().code == Code::usage ? make_error(Code::request_invalid, page.error().message) : page.error());
  Json json{{"approvals", Json::array()}};
  for (const auto& row : page->rows) json["approvals"].push_back(client::to_json(row));
  if (!page->next.empty()) json["cursor"] = page->next;
  return page_answer(asked, std::move(json));
}

Worked approve_tasks(const Asked& asked, const Means&) { return answer_errand(asked, true); }
Worked reject_tasks(const Asked& asked, const Means&) { return answer_errand(asked, false); }

Worked resume_chain(const Asked& asked, const Means&) {
  auto reason = reason_in(asked);
  if (!reason) return refuse(std::move(reason).error());
  return Errand{actors::ResumeChain{.chain = asked.chain(), .reason = std::move(*reason)}, asked.chain(), asked.wait};
}

Worked retry_chain(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  auto wish = wish_in(members);
  const bool dry_run = members.flag("dry_run") || asked.flag(kValidateOnly);
  actors::Control control{{}, engine::Retry{}};
  control.reason = members.text("reason");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  if (dry_run) {
    const auto preview = means.questions.ask(coordinator::PreviewRepair{.chain = asked.chain(), .wish = std::move(*wish)});
    if (!preview) return refuse(no_such_task(preview.error()));
    return json_answer(client::to_json(asked.chain(), *preview));
  }
  control.wish = std::move(*wish);
  return control_errand(asked, std::move(control));
}

Worked fork_chain(const Asked& asked, const Means&) {
  Members members{asked.body->root()};
  actors::ForkChain fork{.chain = {}, .source = asked.chain()};
  fork.wish.step = members.text("at");
  fork.wish.event = count_in<std::uint64_t>(asked, members, "seq").value_or(0);
  fork.wish.arguments = value_in(asked, members, "arguments");
  fork.chain.value = members.text("id");
  fork.reason = members.text("reason");
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  if (fork.chain.empty()) fork.chain = coordinator::made_fork_id(fork.source, entropy());
  fork.trace = asked.trace;
  auto chain = fork.chain;
  return Errand{std::move(fork), std::move(chain), asked.wait};
}

Worked skip_tasks(const Asked& asked, const Means&) {
  Members members{asked.body->root()};
  actors::Control control{{}, engine::Substitute{}};
  auto& given = std::get<engine::Substitute>(control.what);
  control.step = members.text("step", true);
  given.items = items_in(members, "items");
  control.reason = members.text("reason");
  const auto response = value_in(asked, members, "response");
  if (!response) members.wrong(make_error(Code::field_missing, "'response' is missing: what stands in place of a run"));
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  given.response = engine::inline_payload(*response);
  return control_errand(asked, std::move(control));
}

Worked resolve_tasks(const Asked& asked, const Means& means) {
  Members members{asked.body->root()};
  const auto step = members.text("step", true);
  const auto all = members.text("items") == "all";
  auto items = all ? IndexSet{} : items_in(members, "items");
  const auto response = value_in(asked, members, "response");
  const auto failed = members.text("failed");
  const bool again = members.flag("again");
  actors::Control control;
  control.reason = members.text("reason");
  if ((response ? 1 : 0) + (failed.empty() ? 0 : 1) + (again ? 1 : 0) != 1)
    members.wrong(
        make_error(Code::fields_exclusive, "give one of 'response' (it happened), 'failed' (a message) and 'again' (true: it did not happen)"));
  if (auto sound = members.finish(); !sound) return refuse(std::move(sound).error());
  coordinator::FindTask ask{.chain = asked.chain(), .task = {step, {}}};
  if (items.size() == 1) ask.task.item = items.front();
  if (response) ask.response = *response;
  const auto found = means.questions.ask(ask);
  if (!found) return refuse(no_such_task(found.error()));
  if (found->fan_out && items.empty() && !all)
    return refuse(Code::field_missing, fmt::format("step '{}' is a fan-out: name 'items', as in {}, or all", step, to_text(found->in_doubt)));
  if (all) items = found->in_doubt;
  if (!found->fan_out) items = IndexSet::one(0);
  if (!found->in_doubt.contains(items))
    return refuse(Code::chain_state, fmt::format("of step '{}' these items are in doubt, and no others: {}", step, to_text(found->in_doubt)));
  engine::Resolve resolve;
  resolve.visit = found->visit;
  resolve.items = std::move(items);
  if (again)
    resolve.outcome = std::monostate{};
  else if (response)
    resolve.outcome = engine::inline_payload(*response);
  else
    resolve.outcome = make_error(Code::tool_failed, failed);
  control.what = std::move(resolve);
  return control_errand(asked, std::move(control));
}

Worked list_nodes(const Asked&, const Means&) { return Errand{actors::AskNodes{}}; }
Worked cordon_node(const Asked& asked, const Means&) { return node_errand(asked, actors::NodeVerb::cordon); }
Worked uncordon_node(const Asked& asked, const Means&) { return node_errand(asked, actors::NodeVerb::uncordon); }
Worked drain_node(const Asked& asked, const Means&) { return node_errand(asked, actors::NodeVerb::drain); }

}  // namespace catena::api
