#pragma once
// The other end of the link gate, in a worker or client: dials the coordinator, shows certificate and token, and has a line when it was let in.
#include <functional>
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

struct DialerOptions {
  std::string coordinator;      // "host:port"; the name is looked up at each dial
  std::string role = "worker";  // worker, client
  std::string token;            // empty: none
  std::optional<TlsFiles> tls;  // none: plain
  PlainLink plain = PlainLink::loopback_only;
  Millis connect_max{10'000};  // from dial() to the coordinator's `ok`
  LinkLog log = {};
  WaitElsewhere elsewhere = {};  // empty, or false: a thread of its own
};

/// All members may be called from any thread. The destructor ends every line and joins the thread.
class Dialer {
 public:
  /// Called once, on the thread of the dialer: it must not wait. It names the line's receiver. Errors: connection_failed (details
  /// {"refused": reason} when it was the gate's word), file_unreadable, usage.
  using Dialled = std::function<void(Result<LinePtr> line)>;

  /// Does not dial. Errors: usage (an address that is none; a network without TLS that nobody allowed), file_unreadable (certificates that
  /// cannot be used), connection_failed (no network is to be had).
  [[nodiscard]] static Result<std::unique_ptr<Dialer>> open(DialerOptions options);
  ~Dialer();
  Dialer(const Dialer&) = delete;
  Dialer& operator=(const Dialer&) = delete;

  /// A new line takes the place of the one before, which is ended, as is a dial under way.
  void dial(Dialled dialled);
  /// Ends the line, or the dial under way.
  void hang_up();
  /// For dials from now on.
  void set_token(std::string token);

 private:
  class Impl;
  explicit Dialer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena::link
