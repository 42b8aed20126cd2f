#pragma once
// Whether there is memory for more chains. Pure: readings go in, a verdict comes out. It closes at a mark and opens again well below it,
// so that it does not flap.
#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace catena::coordinator {

class MemoryGate {
 public:
  enum class Verdict : std::uint8_t { open, closed };

  /// `bytes_max` 0: it is always open.
  explicit MemoryGate(std::uint64_t bytes_max) : bytes_max_{bytes_max} {}

  /// True when the verdict has changed.
  bool read(std::uint64_t resident_bytes) {
    const auto before = verdict_;
    resident_bytes_ = resident_bytes;
    if (bytes_max_ != 0 && resident_bytes >= bytes_max_) verdict_ = Verdict::closed;
    if (resident_bytes < opens_below()) verdict_ = Verdict::open;
    return verdict_ != before;
  }

  [[nodiscard]] Verdict verdict() const { return verdict_; }
  [[nodiscard]] bool closed() const { return verdict_ == Verdict::closed; }
  [[nodiscard]] std::uint64_t bytes_max() const { return bytes_max_; }
  [[nodiscard]] std::uint64_t opens_below() const { return bytes_max_ - bytes_max_ / kMarginParts; }
  [[nodiscard]] std::uint64_t resident_bytes() const { return resident_bytes_; }

  /// The verdict as a line for who runs the process.
  [[nodiscard]] std::string words() const;
  /// What a submission is told while it is closed.
  [[nodiscard]] Error refusal() const;

 private:
  static constexpr std::uint64_t kMarginParts = 10;

  std::uint64_t bytes_max_;
  std::uint64_t resident_bytes_ = 0;
  Verdict verdict_ = Verdict::open;
};

}  // namespace catena::coordinator
