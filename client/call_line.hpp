#pragma once
// How a ClusterClient reaches its coordinator: calls go out with numbers, answers come in. Over a link (link_line.hpp) or over HTTP (http_line.hpp).
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "coordinator/client_calls.hpp"

namespace catena::client {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

inline constexpr milliseconds kSlice{50};  // how long nobody asks whether to go on

/// Blocking, for one thread.
class CallLine {
 public:
  struct Told {
    std::uint64_t call = 0;
    std::string answer = {};  // the body, as encode_answer makes it
  };

  CallLine() = default;
  virtual ~CallLine() = default;
  CallLine(const CallLine&) = delete;
  CallLine& operator=(const CallLine&) = delete;

  /// One try, of a line that is not open. `stopped` is asked meanwhile. Errors: cancelled; connection_failed, with details {"refused": "busy"} where
  /// a later try may do better; what the coordinator says.
  [[nodiscard]] virtual Result<void> open(SteadyClock::time_point until, const std::function<bool()>& stopped) = 0;
  /// Calls that are open get no answer any more.
  virtual void drop() = 0;
  [[nodiscard]] virtual bool is_open() const = 0;
  /// Error: file_too_large. Where the line is not open nothing else happens.
  [[nodiscard]] virtual Result<void> send(std::uint64_t call, const coordinator::ClientAsk& ask) = 0;
  /// What comes within `span`; returns early with the first answers. The line may not be open any more then.
  [[nodiscard]] virtual std::vector<Told> receive(milliseconds span) = 0;
  /// Waits, and returns early where something comes.
  virtual void rest(milliseconds span) = 0;
};

}  // namespace catena::client
