#pragma once
// A coordinator, its workers, a network between them and somebody who submits chains: real actors in virtual time, and all that can happen
// to them.
#include <algorithm>
#include <array>
#include <caf/all.hpp>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/dispatcher.hpp"
#include "coordinator/front.hpp"
#include "coordinator/journal_actor.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/step_actor.hpp"
#include "coordinator/supervisor.hpp"
#include "coordinator/worker_session.hpp"
#include "tests/coordinator/fake_files.hpp"
#include "tests/simulation/chains.hpp"
#include "tests/simulation/network.hpp"
#include "tests/simulation/node.hpp"
#include "tests/simulation/store.hpp"
#include "worker/uplink.hpp"

namespace catena::simulation {

inline constexpr std::int64_t kLeaseMs = 500;
inline constexpr std::int64_t kHeartbeatMs = 100;
inline constexpr std::int64_t kAdoptMs = 1500;
inline constexpr std::int64_t kLeasesOfPatience = 4;  // of a session with an order that nobody claims

class World {
 public:
  struct Options {
    std::uint64_t seed = 0;
    std::size_t workers = 2;
    std::vector<const Sample*> chains;
    Manner manner;
    std::function<void(const std::string&)> log;  // null: none
  };
  struct Chain {
    ChainId id;
    const Sample* sample = nullptr;
    std::optional<actors::ChainEnded> ended;
  };
  struct Worker {
    std::string name;
    std::uint32_t slots = 1;
    Incarnation incarnation = 0;  // of the newest start
    Process process = 0;          // 0: it does not run
    bool leaving = false;         // it was told to drain
    caf::actor uplink, node;
  };

  explicit World(Options options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // ---- the schedule
  /// One message, or a stretch of time; false when nothing will ever happen.
  bool step() { return schedule.step() || schedule.wait(); }
  void run_messages(std::size_t messages) {
    for (; messages > 0 && step(); --messages) {
    }
  }
  void run_for(Millis span) {
    const auto over = std::make_shared<bool>(false);  // what waits in the schedule may outlive this call
    schedule.after(span, [over] { *over = true; });
    while (!*over && step()) {
    }
  }

  // ---- misfortune
  /// Its chains go on after that time: there may be many to read, or a person has to say so.
  void start_coordinator(Millis resumed_after = Millis{0});
  void kill_coordinator(Cut how);
  /// As SIGTERM ends it.
  void stop_coordinator();
  /// Its machine is put back to that state of the store, while workers live on.
  void put_back(storage::MemoryKv::Snapshot copy);
  [[nodiscard]] bool coordinator_runs() const { return front != nullptr; }
  void start_worker(std::size_t which);
  void kill_worker(std::size_t which, Cut how);
  /// The process goes on without anybody minding it, while another is started under its name.
  void orphan_worker(std::size_t which);
  void drain_worker(std::size_t which);
  /// What a person tells the coordinator of a worker, and takes back after that time.
  void order_node(std::size_t which, actors::NodeVerb what, Millis back_after);
  /// All that is wrong is put right.
  void calm();

  // ---- the client
  void submit_or_await(Chain& chain);
  void order_chain(const ChainId& chain, decltype(actors::Order::what) what) {
    // Its submission may have been lost with a coordinator: then nobody knows it until it is submitted again.
    if (supervisor && exists(chain)) client->send(supervisor, actors::Order{chain, std::move(what)});
  }
  /// What the coordinator said since.
  void collect();
  [[nodiscard]] bool all_ended() const {
    return std::ranges::all_of(chains, [](const Chain& chain) { return chain.ended.has_value(); });
  }
  /// A person looks at what is in doubt, and says what came of it.
  void settle_doubts();

  [[nodiscard]] std::vector<engine::Event> history(const ChainId& chain) const;
  [[nodiscard]] engine::ChainState state(const ChainId& chain) const { return coordinator::recover_state(kv, chain).value().state; }
  [[nodiscard]] bool exists(const ChainId& chain) const { return storage::load_summary(kv, chain).value().has_value(); }
  template <class State>
  [[nodiscard]] static State& state_of(const caf::actor& actor) {
    return dynamic_cast<caf::stateful_actor<State>&>(*caf::actor_cast<caf::abstract_actor*>(actor)).state;
  }
  void say(const std::string& words) const {
    if (options.log) options.log(words);
  }

  Options options;
  WatchedKv kv;
  Log log;
  std::vector<std::string> defects;  // found while it ran
  int put_backs = 0;
  int refusals = 0;  // of a store that was put back
  Schedule schedule;
  Network network;
  caf::scoped_actor client{schedule.system};
  coordinator::test::FakeFiles files;
  std::vector<Chain> chains;
  std::vector<Worker> workers;
  std::vector<Process> orphans;
  std::shared_ptr<coordinator::Services> services;
  caf::actor journal, supervisor, dispatcher, front;

 private:
  void drop_coordinator();
  void accept_loss(const Error& error);
  void resume_chains();
  void forget_worker(Worker& worker);
  [[nodiscard]] worker::UplinkOptions uplink_options(std::size_t which, Process process,
                                                     std::shared_ptr<const MonotonicClock> clock,
                                                     std::shared_ptr<worker::Lease> lease);

  VirtualClock clock_{schedule};
  std::shared_ptr<coordinator::SessionSettings> sessions_;
  Process last_process_ = kCoordinator;
  bool calm_ = false;  // who leaves from now on comes back at once
  bool accepts_loss_ = false;
};

/// The time since a machine booted: each start of a worker is on another.
class BootTime final : public MonotonicClock {
 public:
  BootTime(Schedule& schedule, std::int64_t offset_ms) : schedule_{schedule}, offset_ms_{offset_ms} {}
  [[nodiscard]] std::int64_t now_ms() const override { return schedule_.now().count() + offset_ms_; }

 private:
  Schedule& schedule_;
  std::int64_t offset_ms_;
};

// ---- in detail --------------------------------------------------------------------------------------------------------

inline World::World(Options given) : options{std::move(given)}, schedule{options.seed}, network{schedule, options.seed + 1} {
  sessions_ = std::make_shared<coordinator::SessionSettings>();
  sessions_->lease_ms = kLeaseMs;
  sessions_->heartbeat_ms = kHeartbeatMs;
  sessions_->store = "simulated";
  sessions_->detach_files = false;
  for (std::size_t at = 0; at < options.chains.size(); ++at) chains.push_back({ChainId{"c" + std::to_string(at)}, options.chains[at], {}});
  if (options.log && std::getenv("CATENA_SIMULATION_MESSAGES") != nullptr) schedule.on_message = options.log;
  start_coordinator();
  Dice dice{options.seed + 2};
  for (std::size_t at = 0; at < options.workers; ++at) {
    workers.push_back({"w" + std::to_string(at + 1), 1 + dice.below(3), 1000, 0, false, {}, {}});
    start_worker(at);
  }
}

inline World::~World() {
  network.listen(nullptr);
  network.cut_all(Cut::told);
  for (auto& worker : workers) {
    if (worker.process != 0) schedule.kill(worker.process);
    worker.uplink = worker.node = nullptr;
  }
  for (const auto orphan : orphans) schedule.kill(orphan);
  schedule.kill(kCoordinator);
  drop_coordinator();
  schedule.scheduler.run_jobs_filtered([](auto*) { return true; });
}

// ---- the coordinator --------------------------------------------------------------------------------------------------

inline void World::start_coordinator(Millis resumed_after) {
  if (front) return;
  say("the coordinator starts");
  services = std::make_shared<coordinator::Services>();
  services->kv = &kv;
  services->clock = &clock_;
  services->files = &files;
  services->catalog = coordinator::test::kCatalog;
  services->settings.adopt_ms = kAdoptMs;
  auto& system = schedule.system;
  const auto fatal = [this](const Error& error) { defects.push_back("the journal could not write: " + render(error)); };
  journal = schedule.in(
      kCoordinator, [&] { return system.spawn(coordinator::journal_actor, static_cast<storage::Kv*>(&kv), coordinator::Fatal{fatal}); });
  services->journal = journal;
  supervisor = schedule.in(kCoordinator, [&] { return system.spawn(coordinator::supervisor, services); });
  services->supervisor = supervisor;
  coordinator::DispatcherOptions dispatching{&clock_, kAdoptMs, kLeaseMs, journal, storage::load_node_orders(kv).value()};
  dispatcher = schedule.in(kCoordinator, [&] { return system.spawn(coordinator::dispatcher, supervisor, std::move(dispatching)); });
  services->dispatcher = dispatcher;
  sessions_ = std::make_shared<coordinator::SessionSettings>(*sessions_);
  sessions_->lineage = storage::begin_life(kv, "life " + std::to_string(kv.epoch()), accepts_loss_).value();
  front = schedule.in(kCoordinator, [&] {
    return system.spawn(coordinator::front, coordinator::FrontContext{services, sessions_, nullptr, [this](const Error& error) { accept_loss(error); }});
  });
  network.listen(front);
  if (resumed_after.count() == 0) return resume_chains();
  say("its chains go on after " + std::to_string(resumed_after.count()) + " ms");
  schedule.after(resumed_after, [this, epoch = kv.epoch()] {
    if (front && kv.epoch() == epoch) resume_chains();
  });
}

inline void World::resume_chains() {
  const auto unfinished = coordinator::unfinished_chains(kv);
  if (!unfinished) return defects.push_back("the unfinished chains cannot be read: " + render(unfinished.error()));
  for (const auto& chain : *unfinished) client->send(supervisor, actors::ResumeChain{chain});
  for (auto& chain : chains) {
    if (!chain.ended) submit_or_await(chain);
  }
  client->send(dispatcher, actors::GateOpen{});
}

inline void World::kill_coordinator(Cut how) {
  if (!front) return;
  say(how == Cut::told ? "the coordinator is killed" : "the coordinator's machine is gone");
  collect();
  network.listen(nullptr);
  network.cut_all(how);
  kv.kv.fail_write(1);  // nothing of it reaches the disk any more
  schedule.kill(kCoordinator);
  drop_coordinator();
  std::erase_if(defects, [](const auto& words) { return words.starts_with("the journal could not write"); });
  kv.kv.crash();
}

inline void World::put_back(storage::MemoryKv::Snapshot copy) {
  say("the store is put back to an earlier state");
  kill_coordinator(Cut::told);
  kv.kv.restore(std::move(copy));
  kv.kv.reopen();
  ++put_backs;
}

/// A person is told, looks, and starts the coordinator once more with what is there.
inline void World::accept_loss(const Error& error) {
  if (put_backs == 0) return defects.push_back("a store that was never put back is refused: " + render(error));
  ++refusals;
  schedule.after(Millis{0}, [this, epoch = kv.epoch()] {
    if (!front || kv.epoch() != epoch) return;
    kill_coordinator(Cut::told);
    accepts_loss_ = true;
    start_coordinator();
    accepts_loss_ = false;
  });
}

inline void World::stop_coordinator() {
  if (!front || schedule.frozen(kCoordinator)) return;
  say("the coordinator stops in order");
  constexpr Millis kAWhile{30};
  caf::anon_send(front, actors::StopAdmitting{});
  run_for(kAWhile);
  caf::anon_send_exit(supervisor, caf::exit_reason::user_shutdown);
  run_for(kAWhile);
  caf::anon_send_exit(dispatcher, caf::exit_reason::user_shutdown);
  run_for(kAWhile);
  caf::anon_send_exit(front, caf::exit_reason::user_shutdown);
  run_for(kAWhile);
  caf::anon_send_exit(journal, caf::exit_reason::user_shutdown);
  run_for(kAWhile);
  collect();
  network.listen(nullptr);
  network.cut_all(Cut::told);
  schedule.kill(kCoordinator);
  drop_coordinator();
  kv.kv.reopen();
}

inline void World::drop_coordinator() {
  if (services) services->journal = services->dispatcher = services->supervisor = nullptr;  // the supervisor holds the services
  journal = supervisor = dispatcher = front = nullptr;
  schedule.thaw(kCoordinator);
}

// ---- workers ----------------------------------------------------------------------------------------------------------

inline worker::UplinkOptions World::uplink_options(std::size_t which, Process process, std::shared_ptr<const MonotonicClock> clock,
                                                   std::shared_ptr<worker::Lease> lease) {
  worker::UplinkOptions made;
  made.dial = [this, process](const caf::actor& uplink) {
    // not kept alive by a call, which may end when its process has
    network.call(process, [weak = caf::actor_cast<caf::weak_actor_ptr>(uplink)](actors::LinePtr line, std::string error) {
      if (const auto caller = caf::actor_cast<caf::actor>(weak)) caf::anon_send(caller, worker::Called{std::move(line), std::move(error)});
    });
  };
  made.clock = std::move(clock);
  made.lease = std::move(lease);
  made.seed = mix(options.seed + static_cast<std::uint64_t>(process));
  made.software = "simulated";
  made.times.backoff_least = Millis{20};
  made.times.backoff_most = Millis{400};
  made.times.backoff_slow = Millis{1000};
  made.times.call = Millis{3000};
  made.times.greeting = Millis{400};
  made.times.drain = Millis{4000};
  made.times.farewell = Millis{300};
  made.times.beat = Millis{kHeartbeatMs};
  if (options.log) made.log = [this, which](const std::string& words) { say(workers[which].name + ": " + words); };
  made.on_status = [this, which, process](const worker::UplinkStatus& status) {
    if (!status.done) return;
    // its process ends
    schedule.after(Millis{0}, [this, which, process] {
      network.cut(process, Cut::told);
      schedule.kill(process);
      if (workers[which].process != process) return;
      forget_worker(workers[which]);
      if (calm_) start_worker(which);
    });
  };
  return made;
}

inline void World::start_worker(std::size_t which) {
  auto& worker = workers[which];
  if (worker.process != 0) return;
  worker.process = ++last_process_;
  worker.incarnation = mix(worker.incarnation) >> 16U;  // later ones are no higher
  worker.leaving = false;
  say(worker.name + " starts as process " + std::to_string(worker.process));
  const auto clock = std::make_shared<BootTime>(schedule, 1'000'000LL * worker.process);
  const auto lease = std::make_shared<worker::Lease>(clock);
  NodeSpec spec;
  spec.worker = worker.process;
  spec.hello.worker = worker.name;
  spec.hello.incarnation = worker.incarnation;
  spec.hello.slots = worker.slots;
  spec.hello.kinds = {"builtin"};
  spec.manner = options.manner;
  spec.may_begin = [lease](std::uint64_t order) { return lease->lets_begin(order); };
  spec.commits = [this] { return kv.commit(); };
  auto made = uplink_options(which, worker.process, clock, lease);
  worker.uplink = schedule.in(worker.process, [&] { return schedule.system.spawn(worker::uplink, std::move(made)); });
  worker.node = schedule.in(worker.process, [&] { return schedule.system.spawn(node, std::move(spec), worker.uplink, &log, &schedule); });
}

inline void World::forget_worker(Worker& worker) {
  worker.process = 0;
  worker.leaving = false;
  worker.uplink = worker.node = nullptr;
}

inline void World::kill_worker(std::size_t which, Cut how) {
  auto& worker = workers[which];
  if (worker.process == 0) return;
  say(worker.name + (how == Cut::told ? " is killed" : "'s machine is gone"));
  network.cut(worker.process, how);
  schedule.kill(worker.process);
  forget_worker(worker);
}

inline void World::orphan_worker(std::size_t which) {
  auto& worker = workers[which];
  if (worker.process == 0) return;
  say(worker.name + " is taken for dead");
  orphans.push_back(worker.process);
  forget_worker(worker);
}

inline void World::drain_worker(std::size_t which) {
  auto& worker = workers[which];
  if (worker.process == 0 || worker.leaving) return;
  say(worker.name + " drains");
  worker.leaving = true;
  caf::anon_send(worker.uplink, worker::Drain{});
}

inline void World::order_node(std::size_t which, actors::NodeVerb what, Millis back_after) {
  if (!dispatcher) return;
  const WorkerId id{workers[which].name};
  say(id.value + (what == actors::NodeVerb::drain ? " is to drain" : " is cordoned"));
  client->send(dispatcher, actors::NodeOrder{id, what});
  schedule.after(back_after, [this, id] {
    if (dispatcher) client->send(dispatcher, actors::NodeOrder{id, actors::NodeVerb::uncordon});
  });
}

inline void World::calm() {
  say("all is put right");
  calm_ = true;
  network.weather = {};
  schedule.thaw(kCoordinator);
  for (const auto orphan : orphans) {
    network.cut(orphan, Cut::told);
    schedule.kill(orphan);
  }
  orphans.clear();
  for (const auto& worker : workers) {
    schedule.thaw(worker.process);
    network.join(worker.process);
  }
  start_coordinator();
  for (std::size_t at = 0; at < workers.size(); ++at) {
    start_worker(at);
    client->send(dispatcher, actors::NodeOrder{WorkerId{workers[at].name}, actors::NodeVerb::uncordon});
  }
}

// ---- the client -------------------------------------------------------------------------------------------------------

inline void World::submit_or_await(Chain& chain) {
  if (!exists(chain.id)) {
    actors::Submission submission;
    submission.chain = chain.id;
    submission.package = chain.sample->package;
    submission.definition = chain.sample->package->root;
    submission.arguments = engine::inline_payload(R"({"x": 7})");
    client->send(supervisor, std::move(submission));
  }
  client->send(supervisor, actors::AwaitChain{chain.id});
}

inline void World::collect() {
  bool more = true;
  const auto refused = [&](const actors::Refused& message) {
    // it ended, or was resumed, while it was being asked for: what matters is that it ends
    if (message.error.code != Code::chain_state) defects.push_back("chain " + message.chain.value + ": " + render(message.error));
  };
  const auto ended = [&](actors::ChainEnded& message) {
    const auto chain = std::ranges::find(chains, message.chain, &Chain::id);
    if (chain != chains.end() && !chain->ended) chain->ended = std::move(message);
  };
  while (more) {
    client->receive([&](actors::Accepted&) {}, [&](actors::NodeOrdered&) {}, refused, ended,
                    caf::after(std::chrono::seconds{0}) >> [&] { more = false; });
  }
}

inline void World::settle_doubts() {
  for (const auto& chain : chains) {
    if (chain.ended || !chain.sample->once || !front || !exists(chain.id)) continue;
    const auto& program = *chain.sample->package->programs.at(chain.sample->package->root);
    const auto found = state(chain.id);
    for (StepIndex index = 0; index < found.steps.size(); ++index) {
      found.steps[index].in_doubt.for_each([&](ItemIndex item) {
        const auto key = coordinator::task_key(chain.id, program.steps[index], {index, found.steps[index].visit}, item);
        const auto made = std::ranges::find(log.executions, key, &Execution::key);
        say("a person settles " + key);
        engine::Resolve resolve{{index, found.steps[index].visit}, item, std::monostate{}};
        if (made != log.executions.end()) resolve.outcome = engine::inline_payload(made->arguments);
        client->send(supervisor, actors::Order{chain.id, std::move(resolve)});
      });
    }
  }
}

inline std::vector<engine::Event> World::history(const ChainId& chain) const {
  std::vector<engine::Event> events;
  const auto read = coordinator::read_history(kv, chain, [&](Sequence, const engine::Event& event) {
    events.push_back(event);
    return true;
  });
  if (!read) throw std::runtime_error{render(read.error())};
  return events;
}

}  // namespace catena::simulation
