#include "coordinator/audit.hpp"

#include <fmt/format.h>

#include <caf/send.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/cut_text.hpp"
#include "base/limits.hpp"
#include "base/overloads.hpp"
#include "coordinator/token_book.hpp"

namespace catena::coordinator {
namespace {

using storage::AuditEntry;

// bytes
constexpr std::size_t kDetailMax = 64UL << 10U;
constexpr std::size_t kReasonMax = 4UL << 10U;

AuditEntry entry_of(std::string_view act, std::string subject, std::string detail = {}, std::string_view reason = {}) {
  AuditEntry entry;
  entry.act = act;
  entry.subject = cut_text(subject, limits::kChainIdBytesMax);
  entry.detail = cut_text(detail, kDetailMax);
  entry.reason = cut_text(reason, kReasonMax);
  return entry;
}

std::string words_of(const actors::RepairWish& wish, bool other_package) {
  std::string words;
  const auto say = [&](std::string_view more) { words += (words.empty() ? "" : "; ") + std::string{more}; };
  if (wish.only_failed) say("only what failed");
  for (const auto& step : wish.from) say("from " + step);
  for (const auto& [step, items] : wish.items) say(fmt::format("items {} of {}", to_text(items), step));
  if (!wish.where.empty()) say("of failed items those where " + wish.where);
  if (other_package) say("with another definition");
  return words;
}

std::string words_of(const engine::Amend& amend, const std::string& step) {
  auto words = engine::words(amend.terms, amend.priority, amend.deadline);
  return step.empty() ? words : fmt::format("step {}: {}", step, words);
}

std::string_view resolved_as(const engine::Resolve& resolve) {
  return std::visit(Overloads{
                        [](const engine::Payload&) { return std::string_view{"succeeded, with a response"}; },
                        [](const Error&) { return std::string_view{"failed"}; },
                        [](std::monostate) { return std::string_view{"again"}; },
                    },
                    resolve.outcome);
}

const std::string& author_of(const storage::Asker& by) { return by.name.empty() ? by.id : by.name; }

}  // namespace

void sign(actors::ForkChain& fork, const storage::Asker& by) { fork.by = author_of(by); }

void sign(actors::Control& control, const storage::Asker& by) {
  const auto& author = author_of(by);
  std::visit(
      [&](auto& what) {
        if constexpr (requires { what.by; }) what.by = author;
      },
      control.what);
}

void hand_audit(const Services& services, const storage::Asker& by, AuditEntry entry) {
  entry.by = by;
  entry.at = services.clock->now();
  actors::Commit commit;
  commit.audit = std::make_shared<const AuditEntry>(std::move(entry));
  caf::anon_send(services.journal, std::move(commit));
}

void hand_audit(const Services& services, const storage::Asker& by, std::vector<AuditEntry> entries) {
  for (auto& entry : entries) hand_audit(services, by, std::move(entry));
}

AuditEntry audit_entry(const actors::Control& control) {
  const auto& chain = control.chain.value;
  return std::visit(
      Overloads{
          [&](const engine::Cancel& cancel) { return entry_of("cancel", chain, cancel.now ? "now" : "", cancel.reason); },
          [&](const engine::Amend& amend) { return entry_of("amend", chain, words_of(amend, control.step), control.reason); },
          [&](const engine::Signal& signal) { return entry_of("signal", chain, signal.name, control.reason); },
          [&](const engine::Approval& approval) {
            const auto task = approval.items.empty() ? control.step : fmt::format("items {} of {}", to_text(approval.items), control.step);
            return entry_of(approval.approved ? "approve" : "reject", chain, task, control.reason);
          },
          [&](const engine::Pause&) { return entry_of("pause", chain, {}, control.reason); },
          [&](const engine::Unpause&) { return entry_of("unpause", chain, {}, control.reason); },
          [&](const engine::Retry&) { return entry_of("retry", chain, words_of(control.wish, control.package != nullptr), control.reason); },
          [&](const engine::Resolve& resolve) {
            return entry_of(
                "resolve", chain,
                fmt::format("step {}, visit {}, items {}: {}", resolve.visit.step, resolve.visit.visit, to_text(resolve.items), resolved_as(resolve)),
                control.reason);
          },
          [&](const engine::Substitute& given) {
            return entry_of("skip", chain, given.items.empty() ? control.step : fmt::format("items {} of {}", to_text(given.items), control.step),
                            control.reason);
          },
      },
      control.what);
}

AuditEntry audit_entry(const actors::ForkChain& fork) {
  const auto where = fork.wish.step.empty() ? fmt::format("at event {}", fork.wish.event.value) : "at step " + fork.wish.step;
  return entry_of("fork", fork.source.value, fmt::format("{}, as {}{}", where, fork.chain.value, fork.wish.arguments ? ", with other arguments" : ""),
                  fork.reason);
}

AuditEntry audit_entry(const actors::ResumeChain& resume) { return entry_of("resume", resume.chain.value, {}, resume.reason); }

std::vector<AuditEntry> audit_entry(const actors::RemoveChains& remove) {
  if (remove.chains.size() == 1) return {entry_of("remove", remove.chains.front().value, {}, remove.reason)};
  std::vector<AuditEntry> entries;
  std::string names;
  for (const auto& chain : remove.chains) {
    if (names.size() + 1 + chain.value.size() > kDetailMax) entries.push_back(entry_of("remove", {}, std::exchange(names, {}), remove.reason));
    names += (names.empty() ? "" : " ") + chain.value;
  }
  entries.push_back(entry_of("remove", {}, std::move(names), remove.reason));
  return entries;
}

AuditEntry audit_entry(const actors::NodeControl& control) {
  using enum actors::NodeVerb;
  const std::string_view act = control.what == cordon ? "cordon" : control.what == uncordon ? "uncordon" : "drain";
  return entry_of(act, control.worker.value, {}, control.reason);
}

AuditEntry audit_entry(const actors::CreateToken& wish) {
  const auto rate = words(wish.rate);
  const auto of = wish.namespace_.empty() ? std::string{} : fmt::format(", of namespace {}", wish.namespace_);
  return entry_of(
      "create_token", {},
      fmt::format("{}{}{}{}{}{}", storage::name(wish.role), of, wish.name.empty() ? "" : ", for ", wish.name, rate.empty() ? "" : ", ", rate));
}

AuditEntry audit_entry(const actors::RevokeToken& revoke) { return entry_of("revoke_token", revoke.id); }

AuditEntry audit_entry(const actors::ReplayDelivery& replay) { return entry_of("replay_webhook", replay.id); }

std::vector<AuditEntry> audit_entry(const FileStoreCall& file) {
  const auto& ask = file.ask;
  switch (ask.verb) {
    case actors::FileVerb::describe:
    case actors::FileVerb::read:
    case actors::FileVerb::list:
    case actors::FileVerb::versions: return {};
    case actors::FileVerb::put: return {entry_of("put_file", ask.path, ask.file ? fmt::format("{} bytes", ask.file->content.size()) : std::string{})};
    case actors::FileVerb::remove: return {entry_of("remove_file", ask.path)};
    case actors::FileVerb::remove_directory: return {entry_of("remove_file", ask.path, "with all below it")};
  }
  return {};
}

AuditEntry audit_entry(const PutDefinitionCall& put) { return entry_of("put_definition", put.name); }

AuditEntry audit_entry(const RemoveDefinitionCall& remove) { return entry_of("remove_definition", remove.name, {}, remove.reason); }

AuditEntry audit_entry(const actors::PutSchedule& put) {
  const auto when = put.plan.cron.empty() ? fmt::format("every {}", to_string(Millis{put.plan.every_ms})) : put.plan.cron;
  return entry_of("put_schedule", put.name, fmt::format("{}, {}", put.definition, when));
}

AuditEntry audit_entry(const actors::OrderSchedule& order) {
  const auto span = order.verb == actors::ScheduleVerb::backfill ? fmt::format("{} to {}", iso8601(order.from), iso8601(order.until)) : std::string{};
  return entry_of(fmt::format("{}_schedule", actors::name(order.verb)), order.name, span, order.reason);
}

AuditEntry audit_entry(std::string_view act, std::string subject, std::string detail, std::string_view reason) {
  return entry_of(act, std::move(subject), std::move(detail), reason);
}

}  // namespace catena::coordinator
