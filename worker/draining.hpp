#pragma once
// How far a worker is with draining: since when it drains, who can take that back, and whether the coordinator has heard of it. Pure; times are
// handed in, in milliseconds of the worker's own clock.
#include <cstdint>

namespace catena::worker {

class Draining {
 public:
  /// `for_good`: this process was told to end, which nobody can take back. False: it drains already.
  [[nodiscard]] bool begin(std::int64_t now_ms, bool for_good) {
    for_good_ = for_good_ || for_good;
    if (on_) return false;
    on_ = true;
    since_ms_ = now_ms;
    return true;
  }
  /// False: it does not drain, or for good.
  [[nodiscard]] bool take_back() {
    if (!on_ || for_good_) return false;
    on_ = false;
    lose_link();
    return true;
  }
  /// A heartbeat leaves that says so; only the echo of this one, or of a later one, says that the coordinator knows.
  void beat(std::int64_t now_ms, std::int64_t last_beat_ms) {
    if (on_ && told_ms_ == 0 && now_ms > last_beat_ms) told_ms_ = now_ms;
  }
  /// The coordinator echoed the heartbeat of that time. It takes a beat more: a chain may have had a ticket when the coordinator heard, and used it.
  void echo(std::int64_t beat_ms, std::int64_t beat_every_ms) {
    if (told_ms_ != 0 && beat_ms >= told_ms_ + beat_every_ms) heard_ = true;
  }
  /// The next link has to hear of it anew.
  void lose_link() {
    told_ms_ = 0;
    heard_ = false;
  }

  [[nodiscard]] bool on() const { return on_; }
  /// The coordinator gives this worker nothing more.
  [[nodiscard]] bool heard() const { return heard_; }
  [[nodiscard]] bool over(std::int64_t now_ms, std::int64_t timeout_ms) const { return on_ && now_ms >= since_ms_ + timeout_ms; }

 private:
  bool on_ = false;
  bool for_good_ = false;
  bool heard_ = false;
  std::int64_t since_ms_ = 0;
  std::int64_t told_ms_ = 0;  // when the first heartbeat left that said so; 0: none on this link
};

}  // namespace catena::worker
