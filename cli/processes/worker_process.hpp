#pragma once
// A worker, whole: slots and executors, the uplink with lease and program cache, the dialer.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/processes/daemon.hpp"
#include "config/settings.hpp"
#include "worker/uplink.hpp"

namespace catena::cli {

struct WorkerSetup {
  std::string join;  // host:port of the coordinator
  std::string name;
  std::uint32_t slots = 1;
  std::vector<std::string> labels;      // k=v or a word
  std::vector<std::string> tool_roots;  // absolute
  std::string cache_dir;
  config::Settings settings;  // executors, TLS files, drain timeout, …
  std::string token;
  const DaemonLog* log = nullptr;  // must outlive it
  /// On a thread of the actors, with each change of the uplink.
  std::function<void(const worker::UplinkStatus& status)> on_status;
};

class WorkerProcess {
 public:
  /// It calls the coordinator, and goes on calling for as long as it takes. Errors: usage and file_unreadable of the link, those of
  /// worker.capabilities.
  [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> start(WorkerSetup setup);
  /// Stops what runs.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Gives back what has not begun, finishes the rest within the drain timeout, leaves: on_status hears `done`.
  void drain();
  void set_token(const std::string& token);
  /// Also of a drain that goes on already.
  void set_drain_timeout(std::uint32_t milliseconds);

 private:
  struct Parts;
  explicit WorkerProcess(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena::cli
