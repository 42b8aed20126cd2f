#pragma once
// What a long-running catena has besides its actors: signals as they come, a log, the manager of services that is told how it goes, and
// settings that are read again.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/link_flags.hpp"
#include "config/settings.hpp"
#include "link/log.hpp"

namespace CLI {
class App;
}

namespace catena::cli {

/// SIGTERM, SIGINT and SIGHUP wait until they are taken. To be made before the first thread; they stay so to the end of the process, so
/// that none that comes late cuts an orderly end short.
class Signals {
 public:
  Signals();
  /// The next signal, 0 for wake(); nothing when none came in time.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds span) const;
  /// From any thread: wait() returns.
  static void wake();
};

/// How long a daemon waits for a signal before it looks after itself.
inline constexpr std::chrono::seconds kDaemonTick{5};

/// Lines on stderr, with the time and how grave they are. From any thread.
class DaemonLog {
 public:
  DaemonLog();
  ~DaemonLog();
  DaemonLog(const DaemonLog&) = delete;
  DaemonLog& operator=(const DaemonLog&) = delete;
  void info(std::string_view line) const;
  void warning(std::string_view line) const;
  void error(const Error& error) const;
  /// For gate, dialer and sessions; it must not outlive this.
  [[nodiscard]] link::LinkLog for_links() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The protocol of sd_notify: lines to the socket that $NOTIFY_SOCKET names. Without one, nothing.
void notify_manager(std::string_view lines);

/// How long an orderly end may take beyond the drain timeout. What stops services (deploy/) waits for longer than both together.
inline constexpr std::chrono::seconds kEndMax{20};

/// Ends the process with _exit when what it stands for is not over in time: an orderly end must not hang for ever.
class Watchdog {
 public:
  Watchdog(std::chrono::milliseconds span, std::string words, int exit_code);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Options that coordinator and worker have in common; they win over the configuration.
struct DaemonFlags {
  std::string config;  // a file; empty: as everywhere
  std::string data_dir;
  LinkFlags link;
  std::optional<Millis> drain_timeout;  // of a worker
};
void add_daemon_flags(CLI::App& app, DaemonFlags& flags);
/// The configuration with the flags over it. Errors: those of config::load and lay_over.
[[nodiscard]] Result<config::Loaded> load_settings(const DaemonFlags& flags);
/// Where this process keeps what it has: the flag, CATENA_DATA_DIR, storage.data_dir of these settings, the usual place.
[[nodiscard]] Result<std::string> directory_of(const DaemonFlags& flags, const config::Settings& settings);
/// The token that the settings name; empty: none. Error: file_unreadable.
[[nodiscard]] Result<std::string> token_of(const config::Settings& settings);

/// Reads the settings again and takes over what a running process can; tells what it did.
void reload_settings(config::Loaded& running, const DaemonFlags& flags, const DaemonLog& log);

}  // namespace catena::cli
