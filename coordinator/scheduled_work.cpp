#include "coordinator/scheduled_work.hpp"

#include <fmt/format.h>

#include <caf/send.hpp>
#include <utility>

#include "coordinator/records.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/submission_checks.hpp"
#include "lang/run/schema_check.hpp"
#include "storage/chain_store.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kPackagesKnownMax = 16;

// Indices of the values of Metric::schedule_runs.
constexpr std::size_t kCountBegun = 0;
constexpr std::size_t kCountSkipped = 1;
constexpr std::size_t kCountMissed = 2;
constexpr std::size_t kCountRefused = 3;

struct FollowedWork {
  std::shared_ptr<const lang::Package> package;
  std::map<std::string, std::string> programs;
};

/// The newest stored version, with all that it reaches as it is now.
Result<FollowedWork> newest_stored(const Services& services, const std::string& definition) {
  if (!services.definitions) return fail(Code::feature_unavailable, "this process keeps no definitions that a schedule can follow");
  const auto text = stored_in(*services.kv)(definition);
  if (!text) return fail(text.error());
  if (!*text) return fail(no_stored_definition(definition));
  const auto shelf = services.definitions();
  if (!shelf) return fail(shelf.error());
  auto package = lang::load_stored(definition, **text, *shelf->finder, shelf->catalog);
  if (!package) return fail(package.error().front());
  FollowedWork work;
  if (shelf->pin) {
    auto programs = shelf->pin(*package);
    if (!programs) return fail(std::move(programs).error());
    work.programs = std::move(*programs);
  }
  work.package = std::make_shared<const lang::Package>(std::move(*package));
  return work;
}

}  // namespace

Result<std::shared_ptr<const lang::Package>> ScheduledPackages::load(const Services& services, const std::string& hash) {
  if (const auto known = known_.find(hash); known != known_.end()) return known->second;
  auto package = recover_package(*services.kv, hash, services.catalog);
  if (!package) return package;
  if (known_.size() == kPackagesKnownMax) known_.clear();
  known_.emplace(hash, *package);
  return package;
}

Result<actors::Submission> submission_of_run(const Services& services, ScheduledPackages& packages, const std::string& name, const ScheduleSaid& said,
                                             UnixMillis at) {
  actors::Submission run;
  run.chain.value = engine::chain_of_run(name, at);
  run.arguments = engine::inline_payload(said.arguments);
  if (said.follow) {
    auto newest = newest_stored(services, said.definition);
    if (!newest) return fail(std::move(newest).error());
    const auto& program = newest->package->main();
    auto checked = lang::check_arguments(lang::JsonText{said.arguments}, program.arguments, fmt::format("definition '{}'", program.name));
    if (!checked) return fail(std::move(checked).error());
    run.arguments = engine::inline_payload(std::move(checked->text));
    run.definition = newest->package->root;
    run.programs = std::move(newest->programs);
    run.package = std::move(newest->package);
  } else {
    auto package = packages.load(services, said.package);
    if (!package) return fail(std::move(package).error());
    run.definition = said.root;
    run.package = std::move(*package);
  }
  if (!said.context.empty()) run.context = engine::inline_payload(said.context);
  run.durability = said.durability;
  run.priority = said.priority;
  run.directory = said.directory;
  run.labels = said.labels;
  run.labels[std::string{kScheduleLabel}] = name;
  run.notify = said.notify;
  if (!said.deadline.empty()) {
    const auto deadline = read_deadline(said.deadline);
    if (!deadline) return fail(deadline.error());
    run.deadline = *deadline;
  }
  return run;
}

bool is_run_of(const storage::Kv& kv, const ChainId& chain, const std::string& schedule, const std::string& namespace_) {
  const auto summary = storage::load_summary(kv, chain);
  if (!summary || !*summary || !(*summary)->parent.empty()) return false;
  const auto& labels = (*summary)->labels;
  const auto label = labels.find(std::string{kScheduleLabel});
  return label != labels.end() && label->second == schedule && namespace_of(labels) == namespace_;
}

Result<void> check_schedule(const Services& services, const actors::PutSchedule& put) {
  if (auto right = engine::check_schedule_name(put.name); !right) return right;
  if (const auto timetable = engine::timetable_of(put.plan); !timetable) return fail(timetable.error());
  auto work = *put.work;
  if (work.deadline.at != 0) {
    return fail(Code::field_value,
                fmt::format("the deadline of a schedule's runs is a span like \"2h\", which begins with each run, and not the time {}",
                            iso8601(work.deadline.at)));
  }
  work.labels[std::string{kScheduleLabel}] = put.name;
  if (auto right = check_submitted(work); !right) return right;
  if (auto right = check_programs(*work.package, work.programs); !right) return right;
  if (!put.follow) return {};
  if (auto right = lang::check_stored_name(put.definition); !right) return right;
  const auto newest = newest_stored(services, put.definition);
  return newest ? Result<void>{} : fail(newest.error());
}

ScheduleSaid said_of(const actors::PutSchedule& put) {
  const auto& work = *put.work;
  ScheduleSaid said;
  said.changed_by = put.by;
  said.definition = put.definition;
  said.follow = put.follow;
  said.package = work.package->hash;
  said.root = work.definition;
  said.arguments = work.arguments.text;
  said.context = work.context.text;
  said.labels = work.labels;
  said.labels.erase(std::string{kScheduleLabel});
  said.priority = work.priority;
  said.durability = work.durability;
  said.directory = work.directory;
  said.notify = work.notify;
  said.deadline = to_string(work.deadline);
  return said;
}

Result<void> keep_work(const Services& services, const actors::Submission& work, storage::Batch& batch) {
  batch.hold(services.holds->hold(work.package->hash));
  if (auto stored = storage::put_package(*services.kv, batch, work.package->hash, work.package->manifest); !stored) return fail(stored.error());
  Records records{[&](Records::Batch full) { caf::anon_send(services.journal, spilled(std::move(full), storage::Durability::sync)); },
                  services.holds};
  for (const auto& [hash, content] : work.programs) records.keep(hash, content);
  records.append_to(batch);
  return {};
}

engine::ScheduleInput input_of(const actors::OrderSchedule& order) {
  switch (order.verb) {
    case actors::ScheduleVerb::pause: return engine::PauseSchedule{order.by, order.reason};
    case actors::ScheduleVerb::resume: return engine::UnpauseSchedule{};
    case actors::ScheduleVerb::trigger: return engine::TriggerSchedule{};
    case actors::ScheduleVerb::backfill: return engine::BackfillSchedule{order.from, order.until};
    case actors::ScheduleVerb::remove: break;
  }
  return engine::ScheduleTick{};
}

void count_in(Metrics& metrics, const engine::ScheduleEvent& event) {
  if (const auto* passed = std::get_if<engine::DueTimesPassed>(&event)) {
    if (passed->skipped > 0) metrics.add(Metric::schedule_runs, passed->skipped, kCountSkipped);
    if (passed->missed > 0) metrics.add(Metric::schedule_runs, passed->missed, kCountMissed);
  } else if (const auto* began = std::get_if<engine::RunBegan>(&event)) {
    if (began->counts) metrics.add(Metric::schedule_runs, 1, kCountBegun);
  } else if (std::holds_alternative<engine::RunRefused>(event)) {
    metrics.add(Metric::schedule_runs, 1, kCountRefused);
  }
}

}  // namespace catena::coordinator
