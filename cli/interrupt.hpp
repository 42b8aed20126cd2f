#pragma once
// SIGINT, SIGTERM and SIGHUP ask a chain to stop in order; a second one ends the process at once.

namespace catena::cli {

class Interrupt {
 public:
  /// Takes the signals over for as long as it lives. One at a time.
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  [[nodiscard]] static bool requested();
};

}  // namespace catena::cli
