#pragma once
// A coordinator with its workers on one thread, in virtual time: every message is run by the test, in order or shuffled, and the
// power can fail between any two of them.
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/core.hpp"
#include "coordinator/dispatcher.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/supervisor.hpp"
#include "coordinator/values.hpp"
#include "storage/memory_kv.hpp"
#include "tests/coordinator/definitions.hpp"
#include "tests/coordinator/fake_files.hpp"
#include "tests/coordinator/scripted_worker.hpp"

namespace catena::coordinator::test {

using Words = std::vector<std::string>;

struct TestConfig : caf::actor_system_config {
  TestConfig() {
    set("scheduler.policy", caf::atom("testing"));
    set("logger.verbosity", caf::atom("quiet"));
  }
};

/// The time of the actors, and that during which the machine slept and their timers stood still.
class VirtualTime final : public MonotonicClock {
 public:
  explicit VirtualTime(const caf::detail::test_actor_clock& clock) : clock_{clock} {}
  [[nodiscard]] std::int64_t now_ms() const override {
    return std::chrono::duration_cast<Millis>(clock_.now().time_since_epoch()).count() + slept_.count();
  }
  void sleep(Millis by) { slept_ += by; }

 private:
  const caf::detail::test_actor_clock& clock_;
  Millis slept_{0};
};

/// The wall clock of the machine, which somebody may set.
class VirtualWall final : public Clock {
 public:
  explicit VirtualWall(std::shared_ptr<const VirtualTime> time) : time_{std::move(time)} {}
  [[nodiscard]] UnixMillis now() const override {
    constexpr UnixMillis kStart = 1'700'000'000'000;
    return kStart + time_->now_ms() + set_.count();
  }
  void set(Millis by) { set_ += by; }

 private:
  std::shared_ptr<const VirtualTime> time_;
  Millis set_{0};
};

/// The store as the coordinator reads it. The test looks at the store itself.
class ShakyReads final : public storage::Kv {
 public:
  explicit ShakyReads(storage::Kv& kv) : kv_{kv} {}

  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key) const override {
    if (fails(key)) return unreadable();
    return kv_.get(key);
  }
  [[nodiscard]] Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const override {
    if (fails(from)) return unreadable();
    return kv_.scan(from, to, visitor);
  }
  [[nodiscard]] Result<void> write(const storage::Batch& batch, storage::Durability durability) override { return kv_.write(batch, durability); }
  [[nodiscard]] std::uint64_t epoch() const override { return kv_.epoch(); }
  [[nodiscard]] std::uint64_t commit() const override { return kv_.commit(); }
  [[nodiscard]] std::uint64_t durable_commit() const override { return kv_.durable_commit(); }

  std::function<bool(std::string_view key)> refuse;  // null: every read succeeds
  mutable std::size_t failed = 0;

 private:
  [[nodiscard]] bool fails(std::string_view key) const {
    const bool refused = refuse && refuse(key);
    failed += refused ? 1 : 0;
    return refused;
  }
  static tl::unexpected<Error> unreadable() { return fail(Code::storage_io, "a read failed because the test told it to"); }

  storage::Kv& kv_;
};

/// Stands before the journal and keeps commits back for as long as it is shut.
struct Gate {
  bool shut = false;
  std::deque<std::pair<caf::actor, actors::Commit>> kept;
};

struct Options {
  std::vector<WorkerSpec> workers{{}};
  Settings settings = {};
  std::optional<std::uint32_t> seed = {};                // of the schedule; in order without one
  const lang::FileReader* files = nullptr;               // in place of Fixture::files
  std::int64_t lease_ms = 0;                             // of workers of an earlier start
  std::int64_t own_lease_ms = 0;                         // of those of this one
  std::function<std::uint64_t()> resident = {};          // memory that the process uses
  std::shared_ptr<const ComputingTools> computing = {};  // what chains run themselves
  std::shared_ptr<EndedStates> ended_states = {};        // see Services
  WebhookPorts webhooks = {};                            // no `post`: nobody delivers
  bool opens = true;                                     // false: the test says when nodes can come
};

class Fixture {
 public:
  explicit Fixture(Options options = {});
  ~Fixture();
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  // ---- the schedule
  /// Until nothing is left to do at this time.
  void run() {
    while (run_one()) {
    }
    collect();
  }
  /// At most so many messages; how many there were.
  std::size_t run_messages(std::size_t most) {
    std::size_t done = 0;
    while (done < most && run_one()) ++done;
    collect();
    return done;
  }
  void advance(Millis by) {
    run();
    scheduler.advance_time(by);
    run();
  }
  /// The machine sleeps: time passes, and no timer of an actor hears of it.
  void sleep(Millis by) { time_->sleep(by); }
  /// Somebody sets the wall clock: forward, or back by less than nothing.
  void set_wall(Millis by) { wall_.set(by); }
  /// The clock of this start.
  [[nodiscard]] UnixMillis now() const { return clock_->now(); }

  // ---- the client
  void submit(const Pinned& package, const std::string& chain = "c", std::string arguments = "{}", std::string context = "{}");
  void control(const std::string& chain, decltype(actors::Control::what) what) { tell(actors::Control{ChainId{chain}, std::move(what)}); }
  void resume(const std::string& chain = "c") { tell(actors::ResumeChain{ChainId{chain}}); }
  void await(const std::string& chain = "c") { tell(actors::AwaitChain{ChainId{chain}}); }
  template <class Message>
  void tell(Message message) {
    client->send(supervisor, std::move(message));
  }
  template <class Message>
  void tell_dispatcher(Message message) {
    client->send(core_->dispatcher(), std::move(message));
  }
  /// Why a chain does not move.
  std::vector<std::string> explain(const std::string& chain = "c");
  /// Runs, letting time pass, until the client hears of the chain's end.
  actors::ChainEnded finish(const std::string& chain = "c");
  /// submit() and finish().
  actors::ChainEnded complete(const Pinned& package, const std::string& chain = "c", std::string arguments = "{}", std::string context = "{}") {
    submit(package, chain, std::move(arguments), std::move(context));
    return finish(chain);
  }
  [[nodiscard]] bool has_ended(const std::string& chain = "c") const {
    return std::ranges::find(ended, ChainId{chain}, &actors::ChainEnded::chain) != ended.end();
  }
  void forget() {
    collect();
    accepted.clear();
    answers.clear();
    refused.clear();
    ended.clear();
  }

  // ---- misfortune
  /// Every actor dies and what was not synced is lost; then all start again.
  void crash();
  /// Ends as a process does in order, whatever waits in mailboxes; how many actors are left then.
  std::size_t end();
  void kill(const caf::actor& actor) { caf::anon_send_exit(actor, caf::exit_reason::kill); }
  caf::actor add_worker(const WorkerSpec& spec);

  // ---- what can be seen
  [[nodiscard]] std::vector<engine::Event> history(const std::string& chain = "c") const;
  template <class Event>
  [[nodiscard]] std::size_t count(const std::string& chain = "c") const {
    const auto events = history(chain);
    return static_cast<std::size_t>(std::ranges::count_if(events, [](const auto& event) { return std::holds_alternative<Event>(event); }));
  }
  [[nodiscard]] engine::ChainState state(const std::string& chain = "c") const { return recover_state(kv, ChainId{chain}).value().state; }
  [[nodiscard]] bool exists(const std::string& chain = "c") const { return storage::load_summary(kv, ChainId{chain}).value().has_value(); }
  [[nodiscard]] caf::actor coordinator_of(const std::string& chain = "c") {
    return state_of<SupervisorState>(supervisor).running.at(ChainId{chain}).coordinator;
  }
  /// Tickets that the dispatcher has to give.
  [[nodiscard]] std::uint32_t tickets_free();
  /// Actors beyond those that are always there.
  [[nodiscard]] std::size_t actors_left() { return system.registry().running() - standing_; }
  template <class State>
  [[nodiscard]] static State& state_of(const caf::actor& actor) {
    return dynamic_cast<caf::stateful_actor<State>&>(*caf::actor_cast<caf::abstract_actor*>(actor)).state;
  }

  void open_gate();
  void pass_one_commit();
  [[nodiscard]] std::shared_ptr<const Services> services() const { return core_->services(); }

  storage::MemoryKv kv;
  ShakyReads reads{kv};
  FakeFiles files;
  std::vector<Pinned> hand_made;  // packages that cannot be read back from their sources: every supervisor is told of them
  Script script;
  Gate gate;
  std::vector<Error> fatal;
  std::vector<std::string> log;
  TestConfig config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  caf::scoped_actor client{system};
  caf::actor supervisor;
  std::vector<caf::actor> workers;
  std::vector<ChainId> accepted;
  std::vector<actors::Accepted> answers;  // the same, with all that they say
  std::vector<actors::Refused> refused;
  std::vector<actors::ChainEnded> ended;
  std::vector<actors::Progress> progress;
  std::vector<actors::Explained> explained;
  std::vector<actors::Queue> queues;
  std::vector<actors::NodeInfo> nodes;
  std::vector<actors::NodeControlled> ordered;
  std::vector<actors::ChainsRemoved> removals;

 private:
  void start();
  void drop_handles();
  void collect();
  bool run_one();

  Options options_;
  std::shared_ptr<VirtualTime> time_ = std::make_shared<VirtualTime>(scheduler.clock());
  VirtualWall wall_{time_};
  std::unique_ptr<AnchoredClock> clock_;
  std::mt19937 random_;
  std::optional<Core> core_;
  std::size_t standing_ = 0;
};

/// The key of an item of the fan-out "a" of chain "c".
inline std::string item_key(int item) { return "c/a/" + std::to_string(item); }

/// What the last attempt of that key got.
inline Json arguments_of(const Fixture& f, const std::string& key) { return Json::parse(f.script.last(key).arguments); }

// ---- in detail --------------------------------------------------------------------------------------------------------

inline caf::behavior gate_actor(caf::event_based_actor* self, Gate* gate, const caf::actor& journal) {
  return {[=](const actors::Commit& commit) {
            const auto sender = caf::actor_cast<caf::actor>(self->current_sender());
            if (gate->shut) {
              gate->kept.emplace_back(sender, commit);
            } else {
              caf::send_as(sender, journal, commit);
            }
          },
          [=](const actors::BeginCollection& begin) { caf::send_as(caf::actor_cast<caf::actor>(self->current_sender()), journal, begin); },
          [=](const actors::FollowFeed& follow) { caf::send_as(caf::actor_cast<caf::actor>(self->current_sender()), journal, follow); },
          [=](const actors::FollowChain& follow) { caf::send_as(caf::actor_cast<caf::actor>(self->current_sender()), journal, follow); },
          [=](const actors::StopFollowingChain& stop) { caf::send_as(caf::actor_cast<caf::actor>(self->current_sender()), journal, stop); },
          [=](const actors::SweepContents& sweep) { caf::send_as(caf::actor_cast<caf::actor>(self->current_sender()), journal, sweep); }};
}

inline Fixture::Fixture(Options options) : options_{std::move(options)}, random_{options_.seed.value_or(0)} {
  start();
  run();
  standing_ = system.registry().running();
}

inline Fixture::~Fixture() {
  if (core_) end();
}

inline std::size_t Fixture::end() {
  for (const auto& actor : workers) caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  core_->end([this](const std::vector<caf::actor>&) { run(); });
  drop_handles();
  core_.reset();
  return system.registry().running();
}

inline void Fixture::start() {
  clock_ = std::make_unique<AnchoredClock>(wall_, time_);
  CoreOptions parts;
  parts.kv = &kv;
  parts.reads = &reads;
  parts.clock = clock_.get();
  parts.files = options_.files != nullptr ? options_.files : &files;
  parts.catalog = kCatalog;
  parts.settings = options_.settings;
  parts.resident = options_.resident;
  parts.log = [this](const std::string& line) { log.push_back(line); };
  parts.lease_ms = options_.lease_ms;
  parts.own_lease_ms = options_.own_lease_ms;
  parts.controls = storage::load_node_controls(kv).value();
  parts.fatal = [this](const Error& error) { fatal.push_back(error); };
  parts.webhooks = options_.webhooks;
  parts.computing = options_.computing;
  parts.ended_states = options_.ended_states;
  parts.before_journal = [this](const caf::actor& journal) { return system.spawn(gate_actor, &gate, journal); };
  core_.emplace(system, std::move(parts));
  supervisor = core_->supervisor();
  for (const auto& package : hand_made) state_of<SupervisorState>(supervisor).packages.put(package->hash, package);
  for (auto spec : options_.workers) {
    spec.incarnation = kv.epoch();
    add_worker(spec);
  }
  if (options_.opens) tell_dispatcher(actors::GateOpen{});
}

inline caf::actor Fixture::add_worker(const WorkerSpec& spec) {
  workers.push_back(system.spawn(scripted_worker, spec, &script, core_->dispatcher()));
  return workers.back();
}

inline void Fixture::drop_handles() {
  core_->release();
  supervisor = nullptr;
  workers.clear();
  script.pending.clear();
  gate.kept.clear();
}

inline void Fixture::crash() {
  // ahead of whatever waits in its mailbox: a process that dies begins nothing more
  const auto kill = [](const caf::actor& actor) {
    const caf::exit_msg exit{actor.address(), caf::exit_reason::kill};
    actor->enqueue(nullptr, caf::make_message_id(caf::message_priority::high), caf::make_message(exit), nullptr);
  };
  kv.fail_write(1);  // the journal may take one more turn before it dies; the disk does not
  for (const auto& [address, key] : state_of<SupervisorState>(supervisor).by_address) {  // with those that have ended and wait for their leave
    if (const auto actor = caf::actor_cast<caf::actor>(address)) kill(actor);
  }
  for (const auto& actor : workers) kill(actor);
  for (const auto& actor : {supervisor, core_->dispatcher(), services()->housekeeper, services()->journal, core_->journal(), core_->logs(),
                            core_->tokens(), core_->schedules()})
    kill(actor);
  if (services()->webhooks) kill(services()->webhooks);
  while (run_one()) {
  }
  drop_handles();
  forget();
  fatal.clear();
  kv.crash();
  start();
  run();
}

inline bool Fixture::run_one() {
  if (!scheduler.has_job()) return false;
  if (options_.seed) std::swap(scheduler.jobs.front(), scheduler.jobs[random_() % scheduler.jobs.size()]);
  scheduler.run_once();
  return true;
}

inline void Fixture::collect() {
  bool more = true;
  while (more) {
    client->receive(
        [&](actors::Accepted& message) {
          accepted.push_back(message.chain);
          answers.push_back(message);
        },
        [&](actors::Refused& message) { refused.push_back(std::move(message)); },
        [&](actors::ChainEnded& message) { ended.push_back(std::move(message)); },
        [&](actors::Progress& message) { progress.push_back(std::move(message)); },
        [&](actors::Explained& message) { explained.push_back(std::move(message)); },
        [&](actors::Queue& message) { queues.push_back(std::move(message)); }, [&](actors::Nodes& message) { nodes = std::move(message.nodes); },
        [&](actors::NodeControlled& message) { ordered.push_back(std::move(message)); },
        [&](actors::ChainsRemoved& message) { removals.push_back(std::move(message)); },
        caf::after(std::chrono::seconds{0}) >> [&] { more = false; });
  }
}

inline void Fixture::submit(const Pinned& package, const std::string& chain, std::string arguments, std::string context) {
  actors::Submission submission;
  submission.chain = ChainId{chain};
  submission.package = package;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload(std::move(arguments));
  submission.context = engine::inline_payload(std::move(context));
  tell(std::move(submission));
  await(chain);
}

inline actors::ChainEnded Fixture::finish(const std::string& chain) {
  run();
  while (!has_ended(chain) && scheduler.trigger_timeout()) run();
  const auto found = std::ranges::find(ended, ChainId{chain}, &actors::ChainEnded::chain);
  if (found != ended.end()) return *found;
  throw std::runtime_error{"chain '" + chain + "' did not end" + (refused.empty() ? "" : ": " + render(refused.back().error))};
}

inline std::vector<engine::Event> Fixture::history(const std::string& chain) const {
  std::vector<engine::Event> events;
  const auto read = read_history(kv, ChainId{chain}, [&](Sequence, const engine::Event& event) {
    events.push_back(event);
    return true;
  });
  if (!read) throw std::runtime_error{render(read.error())};
  return events;
}

inline std::vector<std::string> Fixture::explain(const std::string& chain) {
  tell(actors::AskExplain{ChainId{chain}});
  run();
  std::vector<std::string> lines;
  for (const auto& reason : explained.back().reasons) lines.push_back(engine::line(reason, ChainId{chain}));
  explained.clear();
  return lines;
}

inline std::uint32_t Fixture::tickets_free() {
  std::int64_t free = 0;
  for (const auto* node : state_of<DispatcherState>(core_->dispatcher()).placement.nodes()) free += node->free;
  return static_cast<std::uint32_t>(free);
}

inline void Fixture::open_gate() {
  gate.shut = false;
  while (!gate.kept.empty()) pass_one_commit();
}

inline void Fixture::pass_one_commit() {
  const auto [sender, commit] = gate.kept.front();
  gate.kept.pop_front();
  caf::send_as(sender, core_->journal(), commit);
}

}  // namespace catena::coordinator::test
