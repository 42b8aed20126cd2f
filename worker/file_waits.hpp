#pragma once
// Calls of the file store that wait for their answers, over however many links that takes. Pure; times are handed in.
#include <caf/actor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/protocol.hpp"

namespace catena::worker {

class FileWaits {
 public:
  /// A call that nobody answers any more, and what its asker is told.
  struct Ended {
    caf::actor asker;
    actors::FileReply reply;
  };

  void add(caf::actor asker, actors::FileAsk ask, std::int64_t until_ms);
  /// A link begins: nothing was sent over it.
  void begin_link();
  /// Calls to be sent now, in order; no more than fit, because heartbeats and results want a place on the link too.
  [[nodiscard]] std::vector<actors::FileCall> next();
  /// Who made this call; none: it is over.
  [[nodiscard]] std::optional<caf::actor> answered(std::uint64_t id);

  [[nodiscard]] std::vector<Ended> end_late(std::int64_t now_ms);
  /// Whether what was sent over the lost link was done nobody knows: what must not be done twice ends.
  [[nodiscard]] std::vector<Ended> end_unrepeatable();
  [[nodiscard]] std::vector<Ended> end_all(const std::string& why);

 private:
  struct Wait {
    caf::actor asker;
    actors::FileCall call;
    std::int64_t until_ms = 0;
    bool sent = false;  // over this link
  };
  [[nodiscard]] std::vector<Ended> end(const std::string& why, const std::function<bool(const Wait& wait)>& which);

  std::map<std::uint64_t, Wait> waits_;  // by number of the call
  std::uint64_t calls_ = 0;
};

}  // namespace catena::worker
