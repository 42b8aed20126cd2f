// Measures the dispatcher alone: the real actor over engine/placement, with workers and chains that are no more than what it sees of them. What a
// ticket costs with many workers and with many chains that wait, what the heartbeats of a thousand workers cost, and the memory a worker takes.
//   bench_dispatcher
// One thread runs all actors. An order is a ticket that a chain got and gave back at once, so that every slot is always taken and every chain
// waits for the next. Chains ask for tickets as they do (coordinator/ticket_book). Rates are by the processor
// time of the whole process, chains included: what one core does where nobody else has it. The processor time of the dispatcher is that of its turns.

#include <atomic>
#include <caf/all.hpp>
#include <future>
#include <memory>
#include <optional>
#include <thread>

#include "actors/caf_setup.hpp"
#include "actors/channel.hpp"
#include "actors/messages.hpp"
#include "actors/wire.hpp"
#include "base/clock.hpp"
#include "bench/measuring.hpp"
#include "bench/running.hpp"
#include "coordinator/dispatcher.hpp"
#include "coordinator/ticket_book.hpp"
#include "coordinator/worker_session.hpp"
#include "storage/lineage.hpp"
#include "storage/memory_kv.hpp"

namespace {

using namespace bench;
using namespace catena;
using Clock = bench::Clock;
using coordinator::DispatcherState;

constexpr int kSamples = 5;
constexpr std::uint32_t kSlots = 4;                                    // of a worker
constexpr std::uint32_t kOrdersOfOneVisit = 64;                        // a chain with a wide fan-out asks for no more at a time
constexpr std::uint64_t kWarmUp = 20'000;                              // orders
constexpr std::uint64_t kOrders = 60'000;                              // that are measured
const std::uint32_t kItems = coordinator::Settings{}.order_items_max;  // of a builtin, in an order

void wait_for(const std::atomic<std::size_t>& counter, std::size_t wanted) {
  while (counter < wanted) std::this_thread::sleep_for(std::chrono::milliseconds{1});
}

// ---- the dispatcher and what it sees ----------------------------------------------------------------------------------

/// What all actors of one measurement count in. Actors run in one thread; the main thread reads when they have stopped, or the atomic ones.
struct Load {
  std::atomic<std::int64_t> dispatcher = 0;  // nanoseconds of processor time in its turns
  std::uint64_t orders = 0;
  std::atomic<bool> stopped = true;  // chains keep what they have
  std::int64_t dispatcher_before = 0;
  std::int64_t began = 0;  // processor time of the process, in nanoseconds
  double seconds = 0;      // of processor time, of all actors
  std::promise<void> measured;
  std::atomic<std::size_t> statuses = 0;  // sent by workers
  std::atomic<std::size_t> asked = 0;     // chains that have

  void order_done() {
    ++orders;
    if (orders == kWarmUp) {
      dispatcher_before = dispatcher;
      began = nanos_of(CLOCK_PROCESS_CPUTIME_ID);
    } else if (orders == kWarmUp + kOrders) {
      seconds = static_cast<double>(nanos_of(CLOCK_PROCESS_CPUTIME_ID) - began) / 1e9;
      stopped = true;
      measured.set_value();
    }
  }
  [[nodiscard]] double dispatcher_us_an_order() const {
    return static_cast<double>(dispatcher - dispatcher_before) / 1000.0 / static_cast<double>(kOrders);
  }
};

/// Adds up the processor time of its turns.
template <class Base>
class Timed : public Base {
 public:
  template <class... Args>
  explicit Timed(caf::actor_config& config, Load* load, Args&&... args) : Base{config, std::forward<Args>(args)...}, load_{load} {}
  caf::resumable::resume_result resume(caf::execution_unit* unit, std::size_t most) override {
    const auto before = nanos_of(CLOCK_THREAD_CPUTIME_ID);
    const auto result = Base::resume(unit, most);
    load_->dispatcher += nanos_of(CLOCK_THREAD_CPUTIME_ID) - before;
    return result;
  }

 private:
  Load* load_;
};

class RealDispatcher : public caf::stateful_actor<DispatcherState> {
 public:
  explicit RealDispatcher(caf::actor_config& config) : caf::stateful_actor<DispatcherState>{config} {}

 protected:
  caf::behavior make_behavior() override {
    coordinator::DispatcherOptions options;
    options.clock = &clock_;
    return coordinator::dispatcher(this, {}, std::move(options));  // no worker is lost, so nobody is told of it
  }

 private:
  SystemClock clock_;
};

/// Hands tickets on, from chain to chain: what the messages alone cost.
class BareDispatcher : public caf::event_based_actor {
 public:
  explicit BareDispatcher(caf::actor_config& config) : caf::event_based_actor{config} {}

 protected:
  caf::behavior make_behavior() override {
    return {[this](const actors::Hello& hello) {
              hello_ = hello;
              node_ = caf::actor_cast<caf::actor>(current_sender());
            },
            [this](const actors::Wanted& wanted) {
              const auto chain = caf::actor_cast<caf::actor>(current_sender());
              if (std::ranges::find(chains_, chain) != chains_.end()) return;
              chains_.push_back(chain);
              if (chains_.size() <= kSlots * engine::kOrdersPerSlot) give(wanted.visit);
            },
            [this](const actors::TicketBack&) { give({}); },
            [this](const actors::TakeGauges&) { send(caf::actor_cast<caf::actor>(current_sender()), actors::GaugesTaken{}); }};
  }

 private:
  void give(const VisitId& visit) {
    send(chains_[next_++ % chains_.size()], actors::Ticket{WorkerId{hello_.worker}, hello_.incarnation, node_, visit, offered_});
  }

  actors::Hello hello_;
  caf::actor node_;
  std::vector<caf::actor> chains_;
  std::size_t next_ = 0;
  std::shared_ptr<const engine::Offered> offered_ = std::make_shared<const engine::Offered>();
};

/// A session without a link: it offers itself, and says how its worker is when it is told to.
caf::behavior worker(caf::event_based_actor* self, const caf::actor& dispatcher, int number, Load* load) {
  const WorkerId id{fmt::format("worker-{:04}", number)};
  actors::Hello hello;
  hello.worker = id.value;
  hello.incarnation = 1;
  hello.slots = kSlots;
  hello.kinds = {"builtin", "exec", "http"};
  hello.labels = {"zone=a"};
  hello.adopts = true;
  self->send(dispatcher, hello);
  auto status = std::make_shared<actors::NodeStatus>();
  status->worker = id;
  status->incarnation = 1;
  status->address = "10.0.0.1:40000";
  status->version = "1.0.0";
  return {[=](caf::tick_atom) {
            status->finished += 1000;
            status->heartbeat_at += 1000;
            self->send(dispatcher, *status);
            ++load->statuses;
          },
          [](const actors::DrainNode&) {}, [](const actors::TicketsSettled&) {}};
}

struct ChainState {
  coordinator::TicketBook book{coordinator::Settings{}};
};

/// One with a wide fan-out of a builtin, whose orders take no time.
caf::behavior chain(caf::stateful_actor<ChainState>* self, const caf::actor& dispatcher, int number, std::shared_ptr<const engine::Need> need,
                    Load* load) {
  const ChainId family{fmt::format("chain-{:06}", number)};
  const auto ask = [=] {
    const auto wanted = self->state.book.ask({}, kOrdersOfOneVisit);
    if (wanted > 0) self->send(dispatcher, actors::Wanted{{}, wanted, need, 0, 1, family});
  };
  ask();
  ++load->asked;
  const auto give_back = [=] {
    for (const auto& free : self->state.book.return_free()) {
      self->send(dispatcher, actors::TicketBack{free.worker, free.incarnation});
      load->order_done();
    }
    ask();
  };
  return {[=](const actors::Ticket& ticket) {
            self->state.book.add(ticket, 0);
            if (!load->stopped) give_back();
          },
          [=](caf::tick_atom) { give_back(); }};
}

class World {
 public:
  /// All chains wait when it is there, and the slots are taken.
  template <class Dispatcher>
  static std::unique_ptr<World> with(int workers, int chains) {
    auto world = std::make_unique<World>();
    world->dispatcher = world->system.spawn<Timed<Dispatcher>>(&world->load);
    for (int number = 0; number < workers; ++number) world->workers.push_back(world->system.spawn(worker, world->dispatcher, number, &world->load));
    world->add_chains(chains);
    return world;
  }
  void add_chains(int more) {
    const auto need = std::make_shared<const engine::Need>(engine::Need{"builtin", {}, {}, {}});
    const auto first = static_cast<int>(chains.size());
    for (int number = first; number < first + more; ++number) chains.push_back(system.spawn(chain, dispatcher, number, need, &load));
    wait_for(load.asked, chains.size());
    settle();
  }
  /// Chains go on until so many orders are done.
  void run() {
    load.stopped = false;
    for (const auto& one : chains) caf::anon_send(one, caf::tick_atom_v);
    load.measured.get_future().wait();
  }
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() {
    caf::anon_send_exit(dispatcher, caf::exit_reason::kill);
    for (const auto& actor : workers) caf::anon_send_exit(actor, caf::exit_reason::kill);
    for (const auto& actor : chains) caf::anon_send_exit(actor, caf::exit_reason::kill);
  }

  /// Until the dispatcher has taken all that was sent to it.
  void settle() {
    caf::scoped_actor self{system};
    self->send(dispatcher, actors::TakeGauges{});
    self->receive([](const actors::GaugesTaken&) {});
  }

  /// A thousand heartbeats; microseconds of the dispatcher for each.
  double beat() {
    constexpr std::size_t kBeats = 1000;
    settle();
    const std::int64_t before = load.dispatcher;
    load.statuses = 0;
    for (std::size_t number = 0; number < kBeats; ++number) caf::anon_send(workers[number % workers.size()], caf::tick_atom_v);
    wait_for(load.statuses, kBeats);
    settle();
    return static_cast<double>(load.dispatcher - before) / 1000.0 / static_cast<double>(kBeats);
  }

  Load load;
  actors::SystemConfig config{1};
  caf::actor_system system{config};
  caf::actor dispatcher;
  std::vector<caf::actor> workers;
  std::vector<caf::actor> chains;
};

// ---- workers with sessions --------------------------------------------------------------------------------------------

/// A line to a worker of the benchmark: keeps what is sent until the worker reads it.
class QuietLine final : public link::Line {
 public:
  void deliver_to(Receiver) override {}
  void send(std::vector<link::Frame> frames) override {
    const std::lock_guard lock{mutex_};
    for (auto& frame : frames) sent_.push_back(std::move(frame));
  }
  void taken(std::size_t) override {}
  void end() override {}
  std::vector<link::Frame> read() {
    const std::lock_guard lock{mutex_};
    return std::exchange(sent_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<link::Frame> sent_;
};

/// What the worker has of its link, and the session at the coordinator's end.
struct Linked {
  std::shared_ptr<QuietLine> line = std::make_shared<QuietLine>();
  link::Link link;
  caf::actor session;
  std::int64_t beats = 0;
};

caf::behavior front_stub(caf::event_based_actor*, std::atomic<std::size_t>* joined) {
  return {[=](const actors::SessionLink&) { ++*joined; },
          [](const actors::SessionEnded& ended) { give_up("the session of " + ended.worker.value + " has ended"); }};
}

class Sessions {
 public:
  Sessions() {
    auto begun = storage::begin_life(kv_, {"life", "secret"});
    if (!begun) give_up(begun.error().message);
    settings_->lineage = std::move(*begun);
    settings_->store = "store";
    settings_->software = "1.0.0";
    services_->kv = &kv_;
    services_->clock = &clock_;
    services_->dispatcher = system_.spawn<Timed<RealDispatcher>>(&load_);
    front_ = system_.spawn(front_stub, &joined_);
  }
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  ~Sessions() {
    for (const auto& one : linked_) caf::anon_send_exit(one->session, caf::exit_reason::kill);
    caf::anon_send_exit(services_->dispatcher, caf::exit_reason::kill);
    caf::anon_send_exit(front_, caf::exit_reason::kill);
  }

  /// The workers' ends.
  void prepare(int workers) {
    for (int number = 0; number < workers; ++number) linked_.push_back(std::make_unique<Linked>());
  }
  void begin() {
    int number = 0;
    for (const auto& one : linked_) {
      actors::Greeting greeting;
      greeting.role = "worker";
      greeting.name = fmt::format("worker-{:04}", number++);
      greeting.incarnation = 1;
      greeting.slots = kSlots;
      greeting.kinds = {"builtin", "exec", "http"};
      greeting.labels = {"zone=a"};
      greeting.software = "1.0.0";
      coordinator::SessionContext context;
      context.services = services_;
      context.settings = settings_;
      context.front = front_;
      context.greeted = {std::move(greeting), std::make_shared<actors::Channel>(one->line), {"10.0.0.1:40000", "worker", {}}};
      one->session = system_.spawn(coordinator::worker_session, std::move(context));
    }
    wait_for(joined_, linked_.size());
    settle();
  }
  /// Heartbeats of all workers, spread over their interval; the share of a core that the coordinator's side took.
  double beat_for_an_interval() {
    constexpr std::size_t kParts = 20;
    const std::chrono::milliseconds interval{settings_->heartbeat_ms};
    const auto start = Clock::now();
    const auto process = nanos_of(CLOCK_PROCESS_CPUTIME_ID), main = nanos_of(CLOCK_THREAD_CPUTIME_ID);
    for (std::size_t part = 0; part < kParts; ++part) {
      std::this_thread::sleep_until(start + part * interval / kParts);
      // Something became durable since: each worker is told, with a proof of its own.
      if (const auto written = kv_.write({}, storage::Durability::sync); !written) give_up(written.error().message);
      for (std::size_t at = part; at < linked_.size(); at += kParts) beat(*linked_[at]);
    }
    std::this_thread::sleep_until(start + interval);
    settle();
    const auto spent = nanos_of(CLOCK_PROCESS_CPUTIME_ID) - process - (nanos_of(CLOCK_THREAD_CPUTIME_ID) - main);
    return static_cast<double>(spent) / 1e9 / seconds_since(start);
  }
  [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }

 private:
  void beat(Linked& worker) {
    for (auto& frame : worker.line->read()) {
      const auto heard = worker.link.receive(std::move(frame));
      if (!heard) give_up(heard.error().message);
      acknowledged_ += heard->size();
    }
    actors::Heartbeat heartbeat;
    heartbeat.at_ms = ++worker.beats;
    heartbeat.finished = static_cast<std::uint64_t>(1000 * worker.beats);
    worker.link.send(actors::encode(heartbeat));
    caf::anon_send(worker.session, actors::LineFrames{worker.line, worker.link.outgoing()});
  }
  void settle() {
    caf::scoped_actor self{system_};
    self->send(services_->dispatcher, actors::TakeGauges{});
    self->receive([](const actors::GaugesTaken&) {});
  }

  Load load_;
  std::atomic<std::size_t> joined_ = 0;
  storage::MemoryKv kv_;
  SystemClock clock_;
  std::shared_ptr<coordinator::SessionSettings> settings_ = std::make_shared<coordinator::SessionSettings>();
  actors::SystemConfig config_{1};
  caf::actor_system system_{config_};
  std::shared_ptr<coordinator::Services> services_ = std::make_shared<coordinator::Services>();
  caf::actor front_;
  std::vector<std::unique_ptr<Linked>> linked_;
  std::uint64_t acknowledged_ = 0;
};

template <class Measure>
double median_of(const Measure& measure) {
  std::vector<double> figures;
  for (int sample = 0; sample < kSamples; ++sample) figures.push_back(measure());
  return median(std::move(figures));
}

// ---- cases ------------------------------------------------------------------------------------------------------------

struct Case {
  std::string name;
  int workers = 0;  // 0: messages alone, with a worker that nobody asks
  int chains = 0;
  std::vector<double> rates = {};  // orders a second of processor time
  std::vector<double> costs = {};  // microseconds of the dispatcher an order
  std::vector<double> beats = {};  // the same, a heartbeat
};

void measure(Case& one) {
  const auto world = one.workers == 0 ? World::with<BareDispatcher>(1, one.chains) : World::with<RealDispatcher>(one.workers, one.chains);
  world->run();
  one.rates.push_back(static_cast<double>(kOrders) / world->load.seconds);
  one.costs.push_back(world->load.dispatcher_us_an_order());
  if (one.workers > 0) one.beats.push_back(world->beat());
}

double memory_of(int workers) {
  Sessions sessions;
  sessions.prepare(workers);
  const auto before = resident();
  sessions.begin();
  return (resident() - before) / workers;
}

double memory_of_waiting(int chains) {
  const auto world = World::with<RealDispatcher>(2, 100);
  const auto before = resident();
  world->add_chains(chains);
  return (resident() - before) / chains;
}

}  // namespace

int main() {
  constexpr int kMany = 1000;
  const auto memory = median_of([] { return apart([] { return memory_of(kMany); }); });
  const auto waiting = median_of([] { return apart([] { return memory_of_waiting(10 * kMany); }); });

  std::vector<Case> cases{{"messages alone", 0, 10},
                          {"1 worker, 10 chains", 1, 10},
                          {"10 workers, 10 chains", 10, 10},
                          {"100 workers, 10 chains", 100, 10},
                          {"1,000 workers, 10 chains", kMany, 10},
                          {"1 worker, 10,000 chains", 1, 10 * kMany},
                          {"1,000 workers, 10,000 chains", kMany, 10 * kMany}};
  for (int sample = 0; sample < kSamples; ++sample) {
    for (auto& one : cases) measure(one);
  }

  fmt::print("an order of a builtin has up to {} items: what is granted for one ticket; {} slots a worker\n", kItems, kSlots);
  fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", "case", "orders/s", "items/s in full orders", "ratio", "wanted");
  const auto first = median(cases[1].rates);
  for (const auto& one : cases) {
    const auto rate = median(one.rates);
    const auto items = rate * kItems;
    row(one.name, fmt::format("{:.0f}", rate), one.workers == 0 ? "" : fmt::format("{:.0f}", items), fmt::format("{:.2f}", rate / first),
        one.workers == kMany ? ">= 150,000 items/s" : "");
  }
  const auto few = median(cases[4].rates), many = median(cases[6].rates);
  row("10,000 chains beside 10", fmt::format("{:.0f}", many), fmt::format("{:.0f} orders/s", few), fmt::format("{:.2f}", many / few), ">= 0.5");
  fmt::print("\n{:<34} {:>20} {:>28} {:>10}   {}\n", "processor time of the dispatcher", "an order", "1 worker, 10 chains", "ratio", "wanted");
  const auto cost = median(cases[1].costs);
  for (const auto& one : cases) {
    const auto there = median(one.costs);
    row(one.name, fmt::format("{:.2f} us", there), fmt::format("{:.2f} us", cost), fmt::format("{:.2f}", there / cost), "");
  }
  fmt::print("\n{:<34} {:>20} {:>28} {:>10}   {}\n", "1,000 workers", "figure", "baseline", "ratio", "wanted");
  const auto beat_of_one = median(cases[1].beats), beat = median(cases[6].beats);
  row("a heartbeat, dispatcher alone", fmt::format("{:.2f} us", beat), fmt::format("{:.2f} us with 1 worker", beat_of_one), "", "");
  {
    Sessions sessions;
    sessions.prepare(kMany);
    sessions.begin();
    static_cast<void>(sessions.beat_for_an_interval());
    const auto heard = sessions.acknowledged();
    const auto share = median_of([&] { return sessions.beat_for_an_interval(); });
    if (sessions.acknowledged() < heard + std::uint64_t{kSamples - 1} * kMany) give_up("not all heartbeats were answered");
    row("their heartbeats, with sessions", fmt::format("{:.2f} % of a core", 100 * share), "1 heartbeat/s each", "", "< 5 %");
  }
  row("memory a worker, with its session", fmt::format("{:.1f} KiB", memory / 1024), "", "", "< 64 KiB");
  row("memory a chain that waits", fmt::format("{:.1f} KiB", waiting / 1024), "", "", "");
  return 0;
}
