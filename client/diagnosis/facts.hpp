#pragma once
// What is known of a cluster at one moment, as far as whoever looks can see it: plain data, without a judgement. What cannot be seen from there is
// absent, and is not judged.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "engine/phase.hpp"
#include "engine/placement.hpp"

namespace catena::client {

struct WorkerFacts {
  std::string name;
  std::string version = {};
  engine::NodeState state = engine::NodeState::open;
  std::uint32_t slots = 0;
  std::int64_t silent_ms = -1;  // since its last heartbeat; -1: it sends none, being in the process of the coordinator
  std::int64_t lost_ms = -1;    // since it went away without having left; -1: it is here
};

struct DiskFacts {
  std::string directory;
  std::uint64_t free = 0;
  std::uint64_t total = 0;
};

/// How long a write takes until it survives a loss of power.
struct SyncFacts {
  std::int64_t p99_us = 0;  // an upper bound
  std::uint64_t writes = 0;
  bool probed = false;  // by writes that were made to find out
};

/// A chain that does not move.
struct WaitingChain {
  std::string chain;
  std::vector<std::string> why = {};
};

struct CertificateFacts {
  std::string file;
  std::string purpose;  // the setting that names it
  UnixMillis until = 0;
  std::string unusable = {};  // why it cannot be read; empty: it can
};

/// Of so many, so many are in use.
struct UseFacts {
  std::uint64_t used = 0;
  std::uint64_t most = 0;
};

struct TraceFacts {
  std::int64_t refused = 0;   // spans
  std::int64_t failures = 0;  // requests that were made again
  std::int64_t gaps = 0;
};

struct WebhookFacts {
  std::uint64_t pending = 0;
  std::uint64_t pending_max = 0;  // 0: not known
  std::uint64_t given_up = 0;     // that are still listed
};

/// Of the settings, what makes a difference to who can do what, and to what is kept.
struct SettingFacts {
  std::string durability = "sync";
  std::string link_listen = {};  // where workers and clients come; empty: this process has no port
  bool link_tls = false;
  std::string http_listen = {};  // empty: no HTTP interface
  bool http_authenticated = false;
  bool http_tls = false;
  bool retention = false;  // chains that ended are removed some day
  std::uint64_t audit_keep = 0;
  std::uint64_t feed_keep = 0;
  bool traces = false;  // a receiver of traces is named
  bool inspectable = false;
};

struct Facts {
  UnixMillis now = 0;
  std::string version = {};  // of whoever has the facts: the coordinator, or the command beside a data directory
  std::optional<std::vector<WorkerFacts>> workers = {};
  std::int64_t lease_ms = 5'000;
  std::optional<DiskFacts> disk = {};
  std::optional<SyncFacts> sync = {};
  std::optional<std::int64_t> clock_ahead_ms = {};    // the machine's clock, of that which the process began with
  std::optional<std::int64_t> records_ahead_ms = {};  // the latest record, of the clock; less than 0: it is behind
  std::optional<std::map<engine::ChainStatus, std::uint64_t>> chains = {};
  bool chains_more = false;                               // there are more than were counted
  std::vector<std::string> quarantined = {};              // the first of them
  std::optional<std::vector<WaitingChain>> waiting = {};  // the first of them
  std::vector<std::string> in_doubt = {};                 // chain STEP/ITEM, the first of them
  std::optional<std::uint64_t> steps_waiting = {};        // visits that want a slot
  std::optional<UseFacts> slots = {};
  std::optional<bool> admission_closed = {};
  std::optional<UseFacts> connections = {};  // at the gate of links
  std::optional<UseFacts> files = {};        // that the process has open
  std::optional<WebhookFacts> webhooks = {};
  std::optional<TraceFacts> traces = {};
  std::optional<std::vector<CertificateFacts>> certificates = {};
  std::optional<SettingFacts> settings = {};
};

}  // namespace catena::client
