#include "coordinator/schedule_keeper.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/failpoint.hpp"
#include "coordinator/file_service.hpp"
#include "coordinator/scheduled_work.hpp"
#include "coordinator/sender.hpp"
#include "storage/chain_summary.hpp"
#include "storage/schedule_store.hpp"

namespace catena::coordinator {
namespace {

constexpr std::int64_t kScheduleLookMax = 60'000;  // ms, after which the clock is looked at again: it may have moved while timers stood still
constexpr std::int64_t kRunAgainMs = 1'000;
constexpr std::size_t kLooksAtOnce = 256;     // schedules, before others get a turn
constexpr std::size_t kSubmittedAtOnce = 64;  // runs, whose chains are not durable yet: many that are due at once are no storm

/// Nobody is at fault, and a later try may do better.
bool is_passing(const Error& error) {
  return error.code == Code::memory_short || error.code == Code::storage_io || error.code == Code::overloaded || error.code == Code::chain_state;
}

}  // namespace

class ScheduleShell {
 public:
  ScheduleShell(caf::event_based_actor* self, std::shared_ptr<const Services> services) : self_{self}, services_{std::move(services)} {}

  // ---- what a person asks
  void take(const actors::PutSchedule& put) {
    const auto asker = sender_of(*self_);
    auto done = put_schedule(put, asker);
    if (!done) refuse(asker, put.name, std::move(done).error());
    flush();
  }

  void take(const actors::OrderSchedule& order) {
    const auto asker = sender_of(*self_);
    auto done = carry_out(order, asker);
    if (!done) refuse(asker, order.name, std::move(done).error());
    flush();
    go_on();
  }

  // ---- the clock
  void take(const actors::BeginSchedules&) {
    if (std::exchange(begun_, true)) return;
    load();
    for (auto& [name, kept] : schedules_) {
      for (const auto& effect : engine::outstanding(kept.state)) owed_.push_back({name, kept.birth, effect});
    }
    tick();
  }
  void take(const actors::SchedulesDue& due) {
    if (due.at == looks_at_) looks_at_ = 0;
    tick();
  }
  void take(const actors::SchedulesGoOn&) {
    going_on_ = false;
    tick();
  }

  // ---- what became of runs
  void take(const actors::Accepted& accepted) {
    const auto found = runs_.find(accepted.chain);
    if (found != runs_.end() && found->second.submitted) run_began(found->first, false);
  }
  void take(const actors::Refused& refused) {
    const auto found = runs_.find(refused.chain);
    if (found == runs_.end()) return;
    if (!found->second.submitted) return look_at_run(refused.chain);
    if (refused.error.code == Code::chain_exists && is_own_run(refused.chain, found->second.schedule)) return run_began(refused.chain, true);
    const auto run = leave(found);
    if (is_passing(refused.error)) {
      again_.emplace(now() + kRunAgainMs, Owed{run.schedule, run.birth, {run.at, engine::RunEffect::submit}});
    } else {
      give(run, engine::RunNotAccepted{run.at, refused.error.message});
      flush();
    }
    go_on();
  }
  void take(const actors::ChainEnded& ended) { run_ended(ended.chain, std::string{engine::name(ended.status)}); }

  void take(const actors::Durable& durable) {
    auto found = written_.extract(durable.commit);
    if (found.empty()) return;
    for (auto& owed : found.mapped().owed) owed_.push_back(std::move(owed));
    for (const auto& [asker, done] : found.mapped().told) {
      if (asker) self_->send(asker, done);
    }
    go_on();
  }

  void end() {
    services_.reset();
    schedules_.clear();
    written_.clear();
    owed_.clear();
    again_.clear();
  }

 private:
  struct Kept {
    std::uint64_t birth = 0;  // another schedule of the same name has another
    engine::ScheduleState state;
    engine::Timetable timetable;
    std::string namespace_;
    std::uint64_t version = 1;  // of what was said last, whether it is durable or not
    UnixMillis created_at = 0;
    UnixMillis look = 0;  // when it is looked at next; 0: not by itself
  };
  struct Owed {
    std::string schedule;
    std::uint64_t birth = 0;
    engine::ScheduleEffect effect;
  };
  /// Of a run whose chain somebody was asked about.
  struct Run {
    std::string schedule;
    std::uint64_t birth = 0;
    UnixMillis at = 0;
    bool submitted = false;  // and not known to be durable; else it is waited for
  };
  /// What happens when a commit is durable.
  struct Written {
    std::vector<Owed> owed;
    std::vector<std::pair<caf::actor, actors::ScheduleDone>> told;
  };
  using Schedules = std::map<std::string, Kept>;

  [[nodiscard]] const Services& services() const { return *services_; }
  [[nodiscard]] UnixMillis now() const { return services().clock->now(); }
  void refuse(const caf::actor& asker, const std::string& name, Error error) {
    self_->send(asker, actors::ScheduleDone{name, {}, {}, 0, std::move(error)});
  }
  void tell_trouble(std::string_view name, const Error& error) const {
    if (services().log) services().log(fmt::format("schedule '{}': {}", name, error.message));
  }

  /// Once, when the first message needs them. One that cannot be read stays as it is, and nobody runs it.
  void load() {
    if (std::exchange(loaded_, true)) return;
    const auto scanned = storage::scan_schedules(*services().kv, {}, [&](std::string_view name, const Result<std::string_view>& bytes) {
      if (auto loaded = load_one(name, bytes); !loaded) {
        tell_trouble(name, loaded.error());
        unreadable_.emplace(name, std::move(loaded).error());
      }
      return true;
    });
    if (!scanned) tell_trouble("", scanned.error());
    services().metrics->set(Metric::schedules, static_cast<std::int64_t>(schedules_.size()));
  }

  Result<void> load_one(std::string_view name, const Result<std::string_view>& bytes) {
    const auto said = bytes ? read_said(name, *bytes) : Result<ScheduleSaid>{fail(bytes.error())};
    if (!said) return fail(said.error());
    auto state = load_standing(*services().kv, name);
    if (!state) return fail(std::move(state).error());
    auto timetable = *state ? engine::timetable_of((*state)->plan) : fail(no_schedule(name));
    if (!timetable) return fail(std::move(timetable).error());
    const auto kept = schedules_.emplace(
        std::string{name}, Kept{++births_, std::move(**state), std::move(*timetable), namespace_of(said->labels), said->version, said->created_at});
    set_look(kept.first);
    return {};
  }

  [[nodiscard]] bool is_own_run(const ChainId& chain, const std::string& schedule) const {
    const auto found = schedules_.find(schedule);
    return found != schedules_.end() && is_run_of(*services().kv, chain, schedule, found->second.namespace_);
  }

  /// Of another namespace there is none.
  [[nodiscard]] Schedules::iterator reached(const std::string& name, const std::string& namespace_) {
    const auto found = schedules_.find(name);
    return found == schedules_.end() || namespace_.empty() || found->second.namespace_ == namespace_ ? found : schedules_.end();
  }

  Result<void> put_schedule(const actors::PutSchedule& wish, const caf::actor& asker) {
    load();
    auto put = wish;
    const auto found = schedules_.find(put.name);
    const bool there = found != schedules_.end();
    // Who puts the same interval again and again does not put it off.
    const bool same_interval = there && found->second.state.plan.every_ms == put.plan.every_ms;
    put.plan.anchor = same_interval ? found->second.state.plan.anchor : now() / 1000 * 1000;
    if (auto right = check_schedule(services(), put); !right) return right;
    if (const auto damaged = unreadable_.find(put.name); damaged != unreadable_.end()) return fail(not_to_be_read(put.name, damaged->second));
    if (there && reached(put.name, put.namespace_) == schedules_.end())
      return fail(Code::namespace_refused, fmt::format("'{}' is the name of a schedule of another namespace; choose another", put.name));
    auto said = said_of(put);
    said.created_at = said.changed_at = now();
    std::string latest;
    if (there) {
      latest = schedule_version(found->second.version);
      said.version = found->second.version + 1;
      said.created_at = found->second.created_at;
    }
    if (auto right = check_expected(put.name, latest, put.expected); !right) return right;
    if (!there && schedules_.size() >= kSchedulesMax)
      return fail(Code::usage, fmt::format("there are {} schedules, and no more are kept; delete one that nobody needs", kSchedulesMax));
    actors::ScheduleDone done{put.name, schedule_version(said.version)};
    if (!put.only_check) {
      if (auto kept = keep_work(services(), *put.work, *batch_); !kept) return kept;
      put_said(*batch_, put.name, said);
      keep(put, said, there ? found : schedules_.end());
    }
    next_.told.emplace_back(asker, std::move(done));
    return {};
  }

  void keep(const actors::PutSchedule& put, const ScheduleSaid& said, Schedules::iterator found) {
    auto timetable = engine::timetable_of(put.plan);  // it was checked
    if (!timetable) return;
    if (found == schedules_.end()) {
      found = schedules_.emplace(put.name, Kept{++births_, engine::new_schedule(put.plan, now()), std::move(*timetable), {}}).first;
      put_standing(*batch_, put.name, found->second.state);
    } else {
      if (auto given = give(found, engine::Replan{put.plan}); !given) tell_trouble(put.name, given.error());
      found->second.timetable = std::move(*timetable);
    }
    found->second.namespace_ = namespace_of(said.labels);
    found->second.version = said.version;
    found->second.created_at = said.created_at;
    set_look(found);
    services().metrics->set(Metric::schedules, static_cast<std::int64_t>(schedules_.size()));
  }

  Result<void> carry_out(const actors::OrderSchedule& order, const caf::actor& asker) {
    load();
    if (order.namespace_.empty() && unreadable_.contains(order.name)) return carry_out_damaged(order, asker);
    const auto found = reached(order.name, order.namespace_);
    if (found == schedules_.end()) return fail(no_schedule(order.name));
    const auto version = schedule_version(found->second.version);
    if (auto right = check_expected(order.name, version, order.expected); !right) return right;
    actors::ScheduleDone done{order.name, version};
    if (order.verb == actors::ScheduleVerb::remove) {
      done.version.clear();
    } else {
      const auto input = input_of(order);
      // What is only checked, and what is refused, leaves everything as it is.
      const auto decided = engine::decide(found->second.state, found->second.timetable, input, now());
      if (!decided) return fail(decided.error());
      for (const auto& event : *decided) {
        if (const auto* hand = std::get_if<engine::OrderedByHand>(&event)) done.chain.value = engine::chain_of_run(order.name, hand->at);
        if (const auto* backfill = std::get_if<engine::BackfillOrdered>(&event)) done.runs = backfill->span.runs;
      }
      if (!order.only_check) apply(found, *decided);
    }
    if (order.verb == actors::ScheduleVerb::remove && !order.only_check) remove(found);
    next_.told.emplace_back(asker, std::move(done));
    return {};
  }

  /// One that cannot be read can be taken away.
  Result<void> carry_out_damaged(const actors::OrderSchedule& order, const caf::actor& asker) {
    const auto damaged = unreadable_.find(order.name);
    if (order.verb != actors::ScheduleVerb::remove) return fail(not_to_be_read(order.name, damaged->second));
    next_.told.emplace_back(asker, actors::ScheduleDone{order.name, {}});
    if (order.only_check) return {};
    storage::remove_schedule(*batch_, order.name);
    unreadable_.erase(damaged);
    return {};
  }

  /// Its runs go on; nobody waits for them any more.
  void remove(Schedules::iterator found) {
    storage::remove_schedule(*batch_, found->first);
    looks_.erase({found->second.look, found->first});
    schedules_.erase(found);
    services().metrics->set(Metric::schedules, static_cast<std::int64_t>(schedules_.size()));
  }

  // ---- deciding
  Result<void> give(Schedules::iterator found, const engine::ScheduleInput& input) {
    const auto events = engine::decide(found->second.state, found->second.timetable, input, now());
    if (!events) return fail(events.error());
    apply(found, *events);
    return {};
  }
  /// What was decided is written with the next flush(), and what it owes is owed when that is durable.
  void apply(Schedules::iterator found, const std::vector<engine::ScheduleEvent>& events) {
    auto& [name, kept] = *found;
    if (events.empty()) return set_look(found);
    const auto before = engine::outstanding(kept.state);
    for (const auto& event : events) {
      count_in(*services().metrics, event);
      engine::evolve(kept.state, event);
    }
    for (const auto& effect : engine::added(before, engine::outstanding(kept.state))) next_.owed.push_back({name, kept.birth, effect});
    put_standing(*batch_, name, kept.state);
    set_look(found);
  }
  void give(const Run& run, const engine::ScheduleInput& input) {
    const auto found = schedules_.find(run.schedule);
    if (found == schedules_.end() || found->second.birth != run.birth) return;
    if (auto given = give(found, input); !given) tell_trouble(run.schedule, given.error());
  }

  void set_look(Schedules::iterator found) {
    auto& [name, kept] = *found;
    looks_.erase({kept.look, name});
    // One that has a downtime to look through goes behind others that are due by now.
    const auto next = engine::next_look(kept.state, kept.timetable);
    kept.look = next ? std::max(*next, now()) : 0;
    if (kept.look != 0) looks_.emplace(kept.look, name);
  }

  void flush() {
    if (batch_->empty()) {
      // Nothing had to change: who asked is told at once.
      for (const auto& [asker, done] : next_.told) self_->send(asker, done);
      next_ = {};
      return;
    }
    CATENA_FAILPOINT("schedule.before_commit");
    // That a run began, or ended, is found out again where it is lost.
    const bool sync =
        !next_.told.empty() || std::ranges::any_of(next_.owed, [](const Owed& owed) { return owed.effect.what != engine::RunEffect::await; });
    written_.emplace(++last_commit_, std::exchange(next_, {}));
    self_->send(services().journal, actors::Commit{std::exchange(batch_, std::make_shared<storage::Batch>()),
                                                   sync ? storage::Durability::sync : storage::Durability::async, last_commit_});
  }

  // ---- the clock
  /// Those that are due, some at a time.
  void tick() {
    if (!begun_) return;
    const auto at = now();
    for (std::size_t looked = 0; looked < kLooksAtOnce && !looks_.empty() && looks_.begin()->first <= at; ++looked) {
      const auto found = schedules_.find(looks_.begin()->second);
      if (auto given = give(found, engine::ScheduleTick{}); !given) tell_trouble(found->first, given.error());
    }
    flush();
    go_on();
  }

  void go_on() {
    if (!begun_ || !services_) return;
    while (!again_.empty() && again_.begin()->first <= now()) owed_.push_back(again_.extract(again_.begin()).mapped());
    while (!owed_.empty() && (submitted_ < kSubmittedAtOnce || owed_.front().effect.what != engine::RunEffect::submit)) {
      const auto owed = std::move(owed_.front());
      owed_.pop_front();
      perform(owed);
    }
    flush();
    if (!looks_.empty() && looks_.begin()->first <= now()) {
      if (!std::exchange(going_on_, true)) self_->send(self_, actors::SchedulesGoOn{});
      return;
    }
    look_later();
  }

  void look_later() {
    auto due = looks_.empty() ? UnixMillis{0} : looks_.begin()->first;
    if (!again_.empty() && (due == 0 || again_.begin()->first < due)) due = again_.begin()->first;
    if (due == 0) return;
    const auto at = now() + std::clamp<std::int64_t>(due - now(), 1, kScheduleLookMax);
    if (looks_at_ != 0 && looks_at_ <= at) return;
    looks_at_ = at;
    self_->delayed_send(self_, std::chrono::milliseconds{at - now()}, actors::SchedulesDue{at});
  }

  // ---- runs
  void perform(const Owed& owed) {
    const auto found = schedules_.find(owed.schedule);
    if (found == schedules_.end() || found->second.birth != owed.birth || !services().supervisor) return;
    Run run{owed.schedule, owed.birth, owed.effect.at};
    const ChainId chain{engine::chain_of_run(owed.schedule, owed.effect.at)};
    switch (owed.effect.what) {
      case engine::RunEffect::submit: return submit(std::move(run), chain);
      case engine::RunEffect::await:
        runs_.insert_or_assign(chain, std::move(run));
        return self_->send(services().supervisor, actors::AwaitChain{chain});
      case engine::RunEffect::cancel:
        return self_->send(services().supervisor,
                           actors::Control{chain, engine::Cancel{fmt::format("the next run of the schedule '{}' is due", owed.schedule)}});
    }
  }

  void submit(Run run, const ChainId& chain) {
    const auto said = load_said(*services().kv, run.schedule);
    auto submission = !said    ? Result<actors::Submission>{fail(said.error())}
                      : !*said ? Result<actors::Submission>{fail(no_schedule(run.schedule))}
                               : submission_of_run(services(), packages_, run.schedule, **said, run.at);
    if (!submission) {
      if (is_passing(submission.error())) {
        again_.emplace(now() + kRunAgainMs, Owed{run.schedule, run.birth, {run.at, engine::RunEffect::submit}});
      } else {
        give(run, engine::RunNotAccepted{run.at, submission.error().message});
      }
      return;
    }
    run.submitted = true;
    ++submitted_;
    runs_.insert_or_assign(chain, std::move(run));
    CATENA_FAILPOINT("schedule.before_submit");
    self_->send(services().supervisor, std::move(*submission));
  }

  using Runs = std::unordered_map<ChainId, Run>;
  Run leave(Runs::iterator found) {
    auto run = std::move(found->second);
    if (run.submitted) --submitted_;
    runs_.erase(found);
    return run;
  }

  void run_began(const ChainId& chain, bool before) {
    const auto run = leave(runs_.find(chain));
    CATENA_FAILPOINT("schedule.after_submit");
    give(run, engine::RunAccepted{run.at, before});
    flush();
    go_on();
  }

  void run_ended(const ChainId& chain, std::string outcome) {
    const auto found = runs_.find(chain);
    if (found == runs_.end() || found->second.submitted) return;
    const auto run = leave(found);
    give(run, engine::RunOver{run.at, std::move(outcome)});
    flush();
    go_on();
  }

  /// It cannot be waited for now, or a cancel came too late for it: its record says what became of it.
  void look_at_run(const ChainId& chain) {
    const auto summary = storage::load_summary(*services().kv, chain);
    if (summary && !*summary) return run_ended(chain, "removed");
    if (summary) {
      const auto status = engine::chain_status_named((*summary)->status);
      if (status && (engine::terminal(*status) || *status == engine::ChainStatus::quarantined)) return run_ended(chain, (*summary)->status);
    }
    const auto run = leave(runs_.find(chain));
    const auto found = schedules_.find(run.schedule);
    if (found == schedules_.end() || found->second.birth != run.birth) return;
    for (const auto& effect : engine::outstanding(found->second.state)) {
      if (effect.at == run.at) again_.emplace(now() + kRunAgainMs, Owed{run.schedule, run.birth, effect});
    }
    look_later();
  }

  caf::event_based_actor* self_;
  std::shared_ptr<const Services> services_;
  bool loaded_ = false;
  bool begun_ = false;     // runs may begin
  bool going_on_ = false;  // a SchedulesGoOn is on its way
  std::uint64_t births_ = 0;
  Schedules schedules_;
  std::map<std::string, Error, std::less<>> unreadable_;  // names of records that stay as they are, and why
  std::set<std::pair<UnixMillis, std::string>> looks_;
  std::shared_ptr<storage::Batch> batch_ = std::make_shared<storage::Batch>();  // what is decided and not handed to the journal yet
  Written next_;                                                                // and what comes of it
  std::map<actors::CommitNumber, Written> written_;
  actors::CommitNumber last_commit_ = 0;
  std::deque<Owed> owed_;
  std::multimap<UnixMillis, Owed> again_;  // that did not work, and when they are tried again
  Runs runs_;
  std::size_t submitted_ = 0;
  ScheduledPackages packages_;
  UnixMillis looks_at_ = 0;  // when the clock is looked at next; 0: no timer is out
};

caf::behavior schedule_keeper(caf::stateful_actor<ScheduleKeeperState>* self, std::shared_ptr<const Services> services) {
  self->state.shell = std::make_shared<ScheduleShell>(self, std::move(services));
  auto* shell = self->state.shell.get();
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    shell->end();
    self->quit(exit.reason);
  });
  return {
      [=](const actors::PutSchedule& put) { shell->take(put); },        [=](const actors::OrderSchedule& order) { shell->take(order); },
      [=](const actors::BeginSchedules& begin) { shell->take(begin); }, [=](const actors::SchedulesDue& due) { shell->take(due); },
      [=](const actors::SchedulesGoOn& more) { shell->take(more); },    [=](const actors::Accepted& accepted) { shell->take(accepted); },
      [=](const actors::Refused& refused) { shell->take(refused); },    [=](const actors::ChainEnded& ended) { shell->take(ended); },
      [=](const actors::Durable& durable) { shell->take(durable); },
  };
}

}  // namespace catena::coordinator
