#pragma once
// The other end of the link gate, in a worker or client: a loopback port for CAF. Each connection to it dials the coordinator, shows
// certificate and token, and is spliced through when it was let in.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "actors/link_log.hpp"
#include "actors/tls_files.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace catena::actors {

struct DialerOptions {
  std::string coordinator;      // "host:port"; the name is looked up at each dial
  std::string role = "worker";  // worker, client
  std::string token;            // empty: none
  std::string node = {};        // a word that only this process knows: what it dials takes the place of what it dialled before. Empty: none
  std::optional<TlsFiles> tls;  // none: plain
  PlainLink plain = PlainLink::loopback_only;
  Millis connect_max{10'000};  // from CAF's connection to the coordinator's `ok`
  Millis half_closed_max{5'000};
  LinkLog log = {};
};

/// All members may be called from any thread. The destructor closes every connection and joins the thread.
class Dialer {
 public:
  /// Does not dial. Errors: usage (an address that is none; a network without TLS that nobody allowed), file_unreadable (certificates that
  /// cannot be used), connection_failed (no loopback port).
  [[nodiscard]] static Result<std::unique_ptr<Dialer>> open(DialerOptions options);
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  /// On 127.0.0.1, for connections of this process alone.
  [[nodiscard]] std::uint16_t port() const;
  /// What the coordinator called the newest connection that it admitted; empty when there is none, or it has ended.
  [[nodiscard]] std::string pass() const;
  /// Why the last dial failed; empty since one succeeded. Code connection_failed (details {"refused": reason} when it was the gate's word),
  /// file_unreadable or usage.
  [[nodiscard]] std::optional<Error> last_error() const;
  /// For dials from now on.
  void set_token(std::string token);

 private:
  class Impl;
  explicit Dialer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::actors
