#pragma once
// A coordinator, whole: store, journal, chains, dispatcher, sessions, the front and the gate before it, and slots of its own
// where it has some.
#include <memory>
#include <string>

#include "base/result.hpp"
#include "cli/processes/daemon.hpp"
#include "config/settings.hpp"
#include "link/gate.hpp"

namespace catena::cli {

struct CoordinatorSetup {
  std::string data_dir;
  config::Settings settings;       // listen, slots, lease, limits, TLS files, …
  std::string token;               // empty: none is asked for
  const DaemonLog* log = nullptr;  // must outlive it
};

class CoordinatorProcess {
 public:
  /// Returns when it is ready: the chains that had not ended go on, and the gate is open. Errors: those of the store; usage,
  /// connection_failed and file_unreadable of the gate.
  [[nodiscard]] static Result<std::unique_ptr<CoordinatorProcess>> start(const CoordinatorSetup& setup);
  /// Ends in order: nobody is admitted any more, attempts of its own slots have the drain timeout to end, what workers run goes on and is
  /// adopted at the next start.
  ~CoordinatorProcess();
  CoordinatorProcess(const CoordinatorProcess&) = delete;
  CoordinatorProcess& operator=(const CoordinatorProcess&) = delete;

  /// "host:port" where it listens.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;
  /// Of the HTTP interface; empty and 0: there is none.
  [[nodiscard]] std::string http_url() const;
  [[nodiscard]] std::uint16_t http_port() const;
  void set_token(const std::string& token);
  void set_drain_timeout(std::uint32_t milliseconds);
  /// How it goes, in one line.
  [[nodiscard]] std::string status() const;

 private:
  struct Parts;
  explicit CoordinatorProcess(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena::cli
