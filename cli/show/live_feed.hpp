#pragma once
// A running chain before the eyes of whoever waits for it: asks for what the picture needs, draws it, or says in lines what changes where there is no
// terminal to draw on.
#include <string>

#include "cli/console.hpp"
#include "cli/show/family.hpp"
#include "cli/show/live.hpp"
#include "client/chains_port.hpp"

namespace catena::cli {

/// What somebody sees while a chain runs.
enum class Telling : std::uint8_t { nothing, lines, picture };

class LiveFeed {
 public:
  LiveFeed(client::ChainsPort& chains, ChainId chain, Telling telling, Console& console);

  /// To be called again and again: draws at most ten times a second.
  void take(const actors::Progress& progress, UnixMillis now);

 private:
  void look(UnixMillis now);
  void say_line(UnixMillis now);

  client::ChainsPort& chains_;
  Telling telling_;
  Console& console_;
  const Clock& clock_;
  ProgressMeter meter_;
  FamilyMeter family_;
  LiveView view_;
  UnixMillis look_at_ = 0;      // not before
  UnixMillis clock_ahead_ = 0;  // of the chain's clock
  bool clock_known_ = false;
  UnixMillis drawn_at_ = 0;
  UnixMillis said_at_ = 0;
  std::uint32_t said_steps_ = 0;
};

}  // namespace catena::cli
