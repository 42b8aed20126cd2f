#pragma once
// The link gate: the only thing of a coordinator that faces a network. A connection becomes a line (link/line.hpp) when the other side has a
// certificate of the cluster and the join token; until then nothing of it is decoded. Its one thread never waits for a peer.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "link/line.hpp"
#include "link/log.hpp"
#include "link/tls_files.hpp"
#include "link/wait_elsewhere.hpp"

namespace catena::link {

struct GateLimits {
  std::uint32_t connections_max = 1024;
  std::uint32_t connections_per_address_max = 512;
  std::uint32_t waiting_max = 256;  // accepted and not yet admitted
  std::uint32_t waiting_per_address_max = 64;
  Millis first_byte_max{2'000};
  Millis admission_max{10'000};  // TLS and preamble, together
};

struct GateOptions {
  std::string listen;  // "host:port"; port 0: any
  /// Called for each line with who is at its other end, on the thread of the gate: it must not wait. It names the line's receiver.
  std::function<void(LinePtr line, Peer peer)> admitted;
  std::optional<TlsFiles> tls;  // none: plain
  PlainLink plain = PlainLink::loopback_only;
  std::string token;  // the cluster's secret; empty: none is asked for
  GateLimits limits = {};
  LinkLog log = {};
  WaitElsewhere elsewhere = {};  // empty, or false: a thread of its own
};

struct GateCounters {
  std::uint64_t accepted = 0;
  std::uint64_t admitted = 0;
  std::uint32_t open = 0;                        // now, admitted or not
  std::uint32_t waiting = 0;                     // now, not yet admitted
  std::map<std::string, std::uint64_t> refused;  // by reason (preamble.hpp)
};

/// All members may be called from any thread. The destructor closes every connection and joins the thread.
class GateServer {
 public:
  /// Errors: usage (an address that is none; a network without TLS that nobody allowed), connection_failed (it cannot listen there),
  /// file_unreadable (certificates that cannot be used).
  [[nodiscard]] static Result<std::unique_ptr<GateServer>> open(GateOptions options);
  ~GateServer();
  GateServer(const GateServer&) = delete;
  GateServer& operator=(const GateServer&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  /// For connections from now on; those that were admitted stay. Empty: none is asked for; one that no preamble can carry admits nobody.
  void set_token(std::string token);
  [[nodiscard]] GateCounters counters() const;

 private:
  class Impl;
  explicit GateServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::link
