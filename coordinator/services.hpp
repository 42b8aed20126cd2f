#pragma once
// What the actors of one coordinator share. Handles are set once, before any chain runs.
#include <caf/actor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/metrics.hpp"
#include "base/time.hpp"
#include "base/webhooks.hpp"
#include "coordinator/collection.hpp"
#include "coordinator/removal_count.hpp"
#include "coordinator/stored_definitions.hpp"
#include "lang/file/file_port.hpp"
#include "lang/package/package.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

class ComputingTools;
class EndedStates;

/// How long chains are kept after they ended, by how they ended; none: for ever.
struct Retention {
  std::optional<Millis> succeeded;
  std::optional<Millis> failed;
  std::optional<Millis> cancelled;
};

/// One that is told of all chains that somebody submits, or of those with a label.
struct StandingWebhook {
  Webhook webhook;
  std::map<std::string, std::string> labels = {};  // that the chain has, as has_labels() reads them
};

struct Settings {
  std::uint32_t checkpoint_every = 2048;      // events
  std::uint32_t children_at_a_time = 32;      // child chains of one visit, where it sets no window
  std::uint32_t order_items_max = 2048;       // items in one order to a worker
  std::int64_t order_target_us = 20'000;      // how long an order should keep a slot busy
  std::uint64_t order_bytes_max = 1U << 20U;  // arguments in one order, unless one item has more
  std::int64_t ticket_kept_ms = 100;          // how long a chain may use a ticket again before others get a turn
  std::int64_t timer_ms_max = 60'000;         // after which a chain that waits looks at the clock; 0: when what it waits for is due
  std::uint32_t family_max = 10'000;          // live descendants of one submitted chain
  std::int64_t sleep_after_ms = 0;            // how long a chain that only waits stays in memory at least; 0: always
  std::uint64_t resting_max = 64UL << 20U;    // bytes that chains leave in memory when they sleep, so that they come back without being read
  std::uint64_t memory_max = 0;               // bytes that the process may use before it takes no new chains; 0: it is not looked at
  bool tools_start_where_submitted = false;   // processes of tools that do not say where; false: in a folder of each attempt's own
  std::int64_t adopt_ms = 0;                  // how long a worker has to come back with what it runs when the coordinator starts; 0: it is lost
  Retention retention = {};
  std::int64_t collect_every_ms = 0;       // time between two collections at least; 0: none
  std::int64_t keys_kept_ms = 86'400'000;  // keys of submissions, after the submission
  std::uint64_t feed_keep = 0;             // notices of the feed that are kept at least; 0: there is no feed
  std::uint64_t audit_keep = 0;            // entries of the audit log that are kept at least; 0: there is no audit log
  std::vector<StandingWebhook> webhooks = {};
  std::uint64_t webhooks_keep = 1'000;      // deliveries that were delivered or given up
  std::uint64_t webhooks_pending = 50'000;  // that wait at most; beyond, the oldest is given up
};

struct Services {
  const storage::Kv* kv = nullptr;
  const Clock* clock = nullptr;                     // never goes back while the process lives
  const lang::FileReader* files = nullptr;          // what references and functions read; null: they fail
  std::shared_ptr<FileService> store_files;         // of this store; lives as long as an actor may use it
  OpenDefinitionShelf definitions;                  // what definitions that are to be stored may call; null: none can be stored here
  std::shared_ptr<const ComputingTools> computing;  // what chains run within their own turns; null: nothing
  std::function<std::uint64_t()> resident;          // bytes of memory that the process uses now; null: nobody knows
  std::function<void(const std::string&)> log;      // a line for who runs the process; null: nobody reads it
  std::shared_ptr<Metrics> metrics = std::make_shared<Metrics>();
  std::shared_ptr<ContentHolds> holds = std::make_shared<ContentHolds>();
  std::shared_ptr<EndedStates> ended_states;  // for who answers questions about chains; null: nobody does
  std::shared_ptr<RemovalCount> removals = std::make_shared<RemovalCount>();
  lang::Catalog catalog;
  Settings settings;
  bool own_threads = false;  // actors that block or compute for long have threads of their own; false where one thread runs all actors: in tests
  caf::actor journal;
  caf::actor dispatcher;
  caf::actor supervisor;
  caf::actor housekeeper;
  caf::actor logs;       // stores what attempts print
  caf::actor tokens;     // access tokens
  caf::actor webhooks;   // delivers what the outbox has
  caf::actor schedules;  // begins chains when they are due
};

/// New grants of a chain get numbers above this. Where the last records may be lost with the process, workers know grants that a recovered chain does
/// not: it must not use their numbers again.
[[nodiscard]] GrantId first_grant_after(const Services& services, storage::Durability durability);

/// The commit of a batch that goes ahead of the events it belongs to: nobody waits for it, the next synced commit covers it.
[[nodiscard]] actors::Commit spilled(std::shared_ptr<storage::Batch> batch, storage::Durability durability);

}  // namespace catena::coordinator
