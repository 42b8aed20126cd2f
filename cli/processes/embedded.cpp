#include "cli/processes/embedded.hpp"

#include <unistd.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <cstdio>
#include <optional>
#include <thread>

#include "actors/caf_setup.hpp"
#include "base/ownership.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/processes/builtins_that_compute.hpp"
#include "cli/processes/door.hpp"
#include "cli/processes/process_memory.hpp"
#include "cli/processes/store_programs.hpp"
#include "cli/processes/store_watch.hpp"
#include "coordinator/audit.hpp"
#include "coordinator/core.hpp"
#include "storage/meta.hpp"
#include "storage/rocks_kv.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/keeper.hpp"
#include "worker/log_buffer.hpp"
#include "worker/worker_node.hpp"

namespace catena::cli {
namespace {

constexpr std::uint32_t kSlotsMin = 4;
constexpr std::chrono::seconds kExplainMax{5};

std::uint32_t processors() { return std::max(1U, std::thread::hardware_concurrency()); }

storage::Asker local_user() { return {storage::AskedVia::local, ownership(::geteuid(), ::getegid()).owner, {}}; }

/// The store can no longer be trusted to take what it is given. What was acknowledged was on disk before; a restart goes on from there.
[[noreturn]] void stop_at_once(const Error& error) {
  const auto text = render(error) + "\ncatena stops here; `catena resume` goes on from what the data directory holds\n";
  std::fputs(text.c_str(), stderr);
  ::_exit(kSoftwareError);
}

}  // namespace

void stop_without(std::string_view what) {
  constexpr std::string_view kBefore = "catena stops here: a part of it that it cannot do without has failed (";
  constexpr std::string_view kAfter = "); what was acknowledged is safe, and a new start goes on from there\n";
  for (const auto text : {kBefore, what, kAfter}) static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(kSoftwareError);
}

struct Embedded::Parts {
  Parts(std::unique_ptr<worker::Keeper> with, std::unique_ptr<storage::RocksKv> store, std::uint32_t slots, const EmbeddedOptions& options)
      : keeper{std::move(with)},
        kv{std::move(store)},
        clock{options.clock != nullptr ? *options.clock : own_clock},
        config{2, slots},  // one of the two is often at the disk
        system{config},
        self{system},
        core{std::in_place, system, core_options(options)},
        watch{*kv, stop_at_once} {
    worker::NodeOptions node;
    node.incarnation = kv->epoch();  // no two openings share one, so no two starts of this worker do
    node.slots = slots;
    node.alone = true;
    node.executors = options.executors;
    node.executors.clock = &clock;
    node.executors.files = &core->files();
    node.executors.keeper = keeper.get();
    node.executors.logs = std::make_shared<worker::LogBuffer>(options.logs.keep, options.logs.attempt_max);
    node.log_keeper = core->logs();
    node.put_in_place = store_programs(*kv, options.programs_dir, options.programs_bytes, options.executors.user != nullptr);
    core->add_slots(system.spawn(worker::worker_node, node, core->dispatcher()));
    // without a door everything works but for commands of other processes, which are told that the directory is locked
    if (auto opened = Door::open(*core, *kv, options.data_dir)) door = std::move(*opened);
  }

  ~Parts() {
    door.reset();
    core.reset();
    // Where it cannot be written the next start takes this end for an unclean one, which costs nothing.
    static_cast<void>(storage::mark_end_in_order(*kv));
  }

  [[nodiscard]] coordinator::CoreOptions core_options(const EmbeddedOptions& options) const {
    coordinator::CoreOptions parts;
    parts.kv = kv.get();
    parts.clock = &clock;
    parts.settings = options.chains;
    parts.logs = options.logs;
    parts.catalog.builtins = worker::builtin_names();
    parts.computing = std::make_shared<const BuiltinsThatCompute>(clock);
    parts.resident = [mark = options.chains.memory_max] { return resident_memory(mark); };
    parts.log = [](const std::string& line) { std::fputs((line + "\n").c_str(), stderr); };
    parts.definitions = options.definitions;
    parts.fatal = stop_at_once;
    parts.failed = stop_without;
    return parts;
  }

  template <class Asked>
  void note(const Asked& asked) const {
    coordinator::note_audit(*core->services(), local_user(), asked);
  }

  Result<actors::Accepted> answer_for(const ChainId& chain) {
    Result<actors::Accepted> answer;
    bool answered = false;
    self->receive_while([&] { return !answered; })(
        [&](const actors::Accepted& accepted) {
          answered = accepted.chain == chain;
          answer = accepted;
        },
        [&](const actors::Refused& refused) {
          if (refused.chain != chain) return;
          answer = fail(refused.error);
          answered = true;
        },
        [](const actors::ChainEnded&) {}, [](const actors::Progress&) {});
    return answer;
  }

  std::unique_ptr<worker::Keeper> keeper;  // until every tool has ended
  std::unique_ptr<storage::RocksKv> kv;
  AnchoredClock own_clock;
  const Clock& clock;
  actors::SystemConfig config;
  caf::actor_system system;
  caf::scoped_actor self;
  std::optional<coordinator::Core> core;
  std::unique_ptr<Door> door;
  StoreWatch watch;
  client::StoreQuestions questions{*kv, catalog(), &clock};
};

Result<std::unique_ptr<Embedded>> Embedded::open(const EmbeddedOptions& options) {
  auto keeper = worker::Keeper::start();
  if (!keeper) return fail(std::move(keeper).error());
  storage::RocksOptions rocks;
  rocks.accept_rewound = options.accept_rewound;
  auto kv = storage::RocksKv::open(options.data_dir, rocks);
  if (!kv) return fail(kv.error());
  forget_door(options.data_dir);
  const auto slots = options.slots != 0 ? options.slots : std::max(kSlotsMin, 2 * processors());
  return std::unique_ptr<Embedded>{new Embedded{std::make_unique<Parts>(std::move(*keeper), std::move(*kv), slots, options)}};
}

Embedded::Embedded(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}

Embedded::~Embedded() = default;

Result<client::Submitted> Embedded::submit(actors::Submission submission) {
  const auto chain = submission.chain;
  parts_->self->send(parts_->core->supervisor(), std::move(submission));
  return parts_->answer_for(chain).map([](actors::Accepted accepted) {
    const bool again = !accepted.ran.empty();
    return client::Submitted{again ? std::move(accepted.ran) : std::move(accepted.chain), again};
  });
}

Result<void> Embedded::fork(actors::ForkChain fork) {
  const auto chain = fork.chain;
  coordinator::sign(fork, local_user());
  parts_->note(fork);
  parts_->self->send(parts_->core->supervisor(), std::move(fork));
  return parts_->answer_for(chain).map([](const auto&) {});
}

Result<void> Embedded::resume(const ChainId& chain, const std::string& reason) {
  const actors::ResumeChain resume{.chain = chain, .reason = reason};
  parts_->note(resume);
  parts_->self->send(parts_->core->supervisor(), resume);
  return parts_->answer_for(chain).map([](const auto&) {});
}

Result<void> Embedded::control(actors::Control control) {
  const auto chain = control.chain;
  coordinator::sign(control, local_user());
  parts_->note(control);
  parts_->self->send(parts_->core->supervisor(), std::move(control));
  return parts_->answer_for(chain).map([](const auto&) {});
}

/// Asked by an actor of its own, as explain() is.
Result<actors::ChainsRemoved> Embedded::remove(const std::vector<ChainId>& chains, UnixMillis ended_before, const std::string& reason) {
  caf::scoped_actor asker{parts_->system};
  const actors::RemoveChains remove{.chains = chains, .ended_before = ended_before, .reason = reason};
  parts_->note(remove);
  asker->send(parts_->core->supervisor(), remove);
  actors::ChainsRemoved done;
  asker->receive([&](actors::ChainsRemoved& removed) { done = std::move(removed); });
  return done;
}

/// Asked by an actor of its own, too.
Result<coordinator::TokenTold> Embedded::create_token(const actors::CreateToken& wish) {
  caf::scoped_actor asker{parts_->system};
  parts_->note(wish);
  asker->send(parts_->core->tokens(), wish);
  actors::TokenMade made;
  asker->receive([&](actors::TokenMade& answer) { made = std::move(answer); });
  if (made.error) return fail(std::move(*made.error));
  return coordinator::TokenTold{std::move(made.text), made.token.id, made.token.expires_at, made.token.namespace_};
}

Result<void> Embedded::revoke_token(const std::string& id) {
  caf::scoped_actor asker{parts_->system};
  const actors::RevokeToken revoke{id};
  parts_->note(revoke);
  asker->send(parts_->core->tokens(), revoke);
  actors::TokenRevoked done;
  asker->receive([&](actors::TokenRevoked& answer) { done = std::move(answer); });
  if (done.error) return fail(std::move(*done.error));
  return {};
}

template <class Asked>
Result<actors::ScheduleDone> Embedded::ask_schedules(Asked asked) {
  caf::scoped_actor asker{parts_->system};
  asked.by = local_user().name;
  parts_->note(asked);
  asker->send(parts_->core->schedules(), std::move(asked));
  actors::ScheduleDone done;
  asker->receive([&](actors::ScheduleDone& answer) { done = std::move(answer); });
  if (done.error) return fail(std::move(*done.error));
  return done;
}

Result<actors::ScheduleDone> Embedded::put_schedule(const actors::PutSchedule& put) { return ask_schedules(put); }

Result<actors::ScheduleDone> Embedded::order_schedule(const actors::OrderSchedule& order) { return ask_schedules(order); }

Result<std::optional<actors::ChainEnded>> Embedded::wait(const ChainId& chain, std::chrono::milliseconds tick, const Watcher& watcher) {
  parts_->self->send(parts_->core->supervisor(), actors::AwaitChain{chain});
  std::optional<actors::ChainEnded> ended;
  std::optional<Error> error;
  std::optional<actors::Progress> progress;
  bool go_on = true;
  while (go_on && !ended && !error) {
    parts_->self->receive(
        [&](actors::ChainEnded& message) {
          if (message.chain == chain) ended = std::move(message);
        },
        [&](const actors::Refused& refused) {
          if (refused.chain == chain) error = refused.error;
        },
        [&](const actors::Progress& message) { progress = message; }, [](const actors::Accepted&) {},
        caf::after(tick) >>
            [&] {
              go_on = watcher(progress);
              parts_->self->send(parts_->core->supervisor(), actors::AskProgress{chain});
            });
  }
  if (error) return fail(*error);
  return ended;
}

/// Asked by an actor of its own: what comes for one that waits for a chain is not to be taken here.
Result<std::vector<engine::Reason>> Embedded::explain(const ChainId& chain, const std::string& step) {
  caf::scoped_actor asker{parts_->system};
  asker->send(parts_->core->supervisor(), actors::AskExplain{chain, step});
  std::vector<engine::Reason> reasons;
  asker->receive([&](actors::Explained& explained) { reasons = std::move(explained.reasons); }, caf::after(kExplainMax) >> [] {});
  return reasons;
}

Result<std::vector<actors::QueueGroup>> Embedded::queue() {
  caf::scoped_actor asker{parts_->system};
  asker->send(parts_->core->supervisor(), actors::AskQueue{});
  std::vector<actors::QueueGroup> groups;
  asker->receive([&](actors::Queue& queue) { groups = std::move(queue.groups); }, caf::after(kExplainMax) >> [] {});
  return groups;
}

client::Questions& Embedded::questions() { return parts_->questions; }

std::uint32_t Embedded::guests() const { return parts_->door ? parts_->door->guests() : 0; }

const std::optional<std::string>& Embedded::put_right() const { return parts_->kv->put_right(); }

}  // namespace catena::cli
