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
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/client_session.hpp"
#include "coordinator/core.hpp"
#include "coordinator/dispatcher.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/step_actor.hpp"
#include "coordinator/supervisor.hpp"
#include "coordinator/worker_session.hpp"
#include "tests/coordinator/fake_files.hpp"
#include "tests/simulation/chains.hpp"
#include "tests/simulation/customer.hpp"
#include "tests/simulation/liar.hpp"
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
    std::vector<storage::Durability> durabilities;  // of the chains, in their order; sync where there is none
    std::size_t customers = 0;                      // clients over the network, each with a chain of its own
    std::size_t liars = 0;                          // a worker and clients, by turns
    coordinator::Settings settings;                 // of the coordinator, but for adopt_ms
    bool keeps_some = false;                        // a crash keeps a beginning of what was not synced
    Manner manner;
    bool prints = false;                          // attempts do
    std::uint64_t logs_max = 64UL << 20U;         // bytes of that which are kept of a chain
    std::function<void(const std::string&)> log;  // null: none
  };
  struct Chain {
    ChainId id;
    const Sample* sample = nullptr;
    storage::Durability durability = storage::Durability::sync;
    bool by_customer = false;  // it submits and awaits it
    bool cancelled = false;    // somebody has asked for that
    bool lost = false;         // what was acknowledged of it may be gone: it did not ask for more
    std::optional<actors::ChainEnded> ended = {};
  };
  /// A client or a liar: processes that come and go.
  struct Guest {
    std::string name;
    Process process = 0;  // 0: it does not run
    caf::actor actor;
  };
  /// What went wrong, by kind.
  struct Counts {
    std::uint64_t failed_writes = 0, failed_starts = 0, lost_commits = 0, kept_commits = 0, clock_jumps = 0, shortages = 0, vanished = 0;
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
  /// The nth write from now fails: the process ends then, as it does in earnest, and is started again after that time.
  void fail_write(std::uint64_t nth, storage::MemoryKv::Fault fault, Millis back_after);
  /// Somebody sets the clock of the coordinator's machine.
  void set_clock(Millis by);
  /// Whether the process is at its mark of memory.
  void set_memory(bool is_short);
  void start_guest(std::size_t which);
  void kill_guest(std::size_t which, Cut how);
  /// They leave, and none comes back.
  void dismiss_guests();
  void start_worker(std::size_t which);
  void kill_worker(std::size_t which, Cut how);
  /// The process goes on without anybody minding it, while another is started under its name.
  void orphan_worker(std::size_t which);
  void drain_worker(std::size_t which);
  /// What a person tells the coordinator of a worker, and takes back after that time.
  void control_node(std::size_t which, actors::NodeVerb what, Millis back_after);
  /// All that is wrong is put right.
  void calm();

  // ---- the client
  void submit_or_await(Chain& chain);
  void control_chain(const ChainId& chain, decltype(actors::Control::what) what) {
    // Its submission may have been lost with a coordinator: then nobody knows it until it is submitted again.
    if (supervisor && exists(chain)) client->send(supervisor, actors::Control{chain, std::move(what)});
  }
  /// What the coordinator said since.
  void collect();
  /// And it stands in the store, where an end that was told may have been lost.
  [[nodiscard]] bool all_ended() const {
    return std::ranges::all_of(
        chains, [this](const Chain& chain) { return chain.ended && (!chain.lost || !exists(chain.id) || engine::terminal(state(chain.id).status)); });
  }
  /// A person looks at what is in doubt, and says what came of it.
  void settle_doubts();

  [[nodiscard]] std::vector<engine::Event> history(const ChainId& chain) const;
  [[nodiscard]] engine::ChainState state(const ChainId& chain) const { return must(coordinator::recover_state(kv.kv, chain)).state; }
  [[nodiscard]] bool exists(const ChainId& chain) const { return must(storage::load_summary(kv.kv, chain)).has_value(); }
  /// What the harness reads is there.
  template <class Value>
  [[nodiscard]] static Value must(Result<Value> found) {
    if (!found) throw std::runtime_error{render(found.error())};
    return std::move(*found);
  }
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
  Counts counts;
  CustomerCounts customer_counts;
  LiarCounts liar_counts;
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
  std::vector<Guest> guests;                      // customers, then liars
  std::vector<std::pair<Millis, Millis>> starts;  // of the coordinator: when, and how far its wall clock was ahead then
  std::shared_ptr<coordinator::Core> core;
  caf::actor supervisor, dispatcher, front;

 private:
  void drop_coordinator();
  void end_by_fault(const Error& error);
  void end_broken();
  void crash_store();
  [[nodiscard]] CustomerSpec customer_of(std::size_t which, Process process);
  [[nodiscard]] LiarSpec liar_of(std::size_t which, Process process);
  [[nodiscard]] std::function<void(const caf::actor&)> dial_of(Caller caller);
  void ended(actors::ChainEnded ended);
  void ask_again(const ChainId& id);
  void accept_loss(const Error& error);
  void resume_chains();
  void forget_worker(Worker& worker);
  [[nodiscard]] worker::UplinkOptions uplink_options(std::size_t which, Process process, std::shared_ptr<const MonotonicClock> clock,
                                                     std::shared_ptr<worker::Lease> lease);

  WallClock wall_{schedule};
  std::vector<std::unique_ptr<AnchoredClock>> clocks_;  // of each start; what is left of one may look at its own
  Dice dice_{options.seed + 4};
  bool memory_short_ = false;
  std::optional<Millis> fault_;  // a write is to fail; how long the process is gone then
  std::shared_ptr<coordinator::SessionSettings> sessions_;
  Process last_process_ = kCoordinator;
  bool calm_ = false;  // who leaves from now on comes back at once
  bool accepts_loss_ = false;
  bool dismissed_ = false;
  bool dying_ = false;   // the coordinator is being killed
  bool broken_ = false;  // its disk has refused a write: it is about to end
};

}  // namespace catena::simulation
