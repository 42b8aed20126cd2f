#pragma once
// The parts that every coordinator has: journal, file service, supervisor, dispatcher and, where nodes come, the front. They are wired here, and
// ended here in the only order that loses nothing.
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "coordinator/front.hpp"
#include "coordinator/journal_actor.hpp"
#include "coordinator/log_book.hpp"
#include "coordinator/outbox_keeper.hpp"
#include "coordinator/services.hpp"
#include "coordinator/vital.hpp"
#include "storage/cluster_records.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

struct CoreOptions {
  storage::Kv* kv = nullptr;                             // outlives the actors
  const storage::Kv* reads = nullptr;                    // in place of it where the store is only read
  const Clock* clock = nullptr;                          // outlives the actors; never goes back
  const lang::FileReader* files = nullptr;               // what references read; null: the files of the store
  std::function<std::uint64_t()> resident;               // see Services
  std::shared_ptr<const ComputingTools> computing = {};  // see Services
  std::shared_ptr<EndedStates> ended_states = {};        // see Services
  std::function<void(const std::string&)> log;           // see Services
  /// See Services; made from the store that is read.
  std::function<OpenDefinitionShelf(const storage::Kv& kv)> definitions = {};
  lang::Catalog catalog;
  Settings settings;
  LogLimits logs;
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  std::int64_t lease_ms = 0;       // see DispatcherOptions
  std::int64_t own_lease_ms = 0;   // see DispatcherOptions
  storage::NodeControls controls;  // see DispatcherOptions
  WebhookPorts webhooks;           // where they are delivered from; no `post`: from nowhere
  Fatal fatal;                     // the journal cannot write
  VitalFailed failed;  // an actor failed that the process cannot do without; null: nobody watches them, and the housekeeper has no thread of its own
  std::function<caf::actor(const caf::actor& journal)> before_journal;  // an actor that commits pass; null: none
};

class Core {
 public:
  Core(caf::actor_system& system, CoreOptions options);
  /// Waits for what has not ended yet.
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Slots of this process, which end with its chains: reports to `dispatcher()`, is sent user_shutdown.
  void add_slots(caf::actor slots) { slots_ = std::move(slots); }
  /// From now on nodes can be let in. `rewound`: see FrontContext.
  void open_front(std::shared_ptr<const SessionSettings> sessions, std::function<void(const Error&)> rewound);

  /// Chains, dispatcher and slots end first: a slot may be waiting for the journal to write a file, and chains must not take for lost what far
  /// workers go on with when the front ends their sessions. Then all that came of what attempts printed is stored. The journal ends last: it holds
  /// the only writer. `wait` returns when those that it is given have ended.
  void end(const std::function<void(const std::vector<caf::actor>&)>& wait);
  /// The actors have ended: the handles that hold each other are dropped.
  void release();

  [[nodiscard]] const std::shared_ptr<Services>& services() const { return services_; }
  [[nodiscard]] lang::FileStore& files() { return *services_->store_files; }
  [[nodiscard]] const caf::actor& supervisor() const { return services_->supervisor; }
  [[nodiscard]] const caf::actor& dispatcher() const { return services_->dispatcher; }
  [[nodiscard]] const caf::actor& front() const { return front_; }
  /// Makes, revokes and knows access tokens.
  [[nodiscard]] const caf::actor& tokens() const { return services_->tokens; }
  /// Makes and keeps schedules; begins their runs once it is sent BeginSchedules.
  [[nodiscard]] const caf::actor& schedules() const { return services_->schedules; }
  /// Stores what attempts print.
  [[nodiscard]] const caf::actor& logs() const { return services_->logs; }
  /// The writer itself, behind what stands before it.
  [[nodiscard]] const caf::actor& journal() const { return journal_; }

 private:
  template <caf::spawn_options Options = caf::no_spawn_options, class Make, class... Arguments>
  caf::actor spawn(std::string_view what, Make make, Arguments&&... arguments) {
    return vitals_ ? vitals_->spawn<Options>(what, make, std::forward<Arguments>(arguments)...)
                   : system_.spawn(make, std::forward<Arguments>(arguments)...);
  }

  caf::actor_system& system_;
  std::optional<Vitals> vitals_;
  std::shared_ptr<Services> services_ = std::make_shared<Services>();
  caf::actor journal_, slots_, front_;
};

}  // namespace catena::coordinator
