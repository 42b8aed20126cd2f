#pragma once
// Time zones of the machine's database (tzdata), and fixed offsets.
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace catena {

class TimeZone {
 public:
  /// "Europe/Berlin", "UTC", "Z", "+02:00". Errors: expression_value with the nearest names; feature_unavailable where there is no database.
  [[nodiscard]] static Result<TimeZone> find(std::string_view name);

  /// What local clocks show at that time, as if it was UTC.
  [[nodiscard]] Millis local_at(UnixMillis at) const { return Millis{at} + offset_at(at); }
  [[nodiscard]] Millis offset_at(UnixMillis at) const;
  /// When local clocks show that. Of two such times the earlier; what no clock shows, because it was set forward, is as much later.
  [[nodiscard]] UnixMillis at_local(Millis local) const;
  /// Clocks run without being set from then on, until then; kAlways where they were not set before, kForEver where they are not known to be.
  struct Stretch {
    UnixMillis from = kAlways;
    UnixMillis until = kForEver;
    Millis offset{0};
  };
  static constexpr UnixMillis kAlways = -62'135'596'800'000;   // of the year 1
  static constexpr UnixMillis kForEver = 253'402'300'799'999;  // of the year 9999
  [[nodiscard]] Stretch stretch_at(UnixMillis at) const;
  /// "CEST", "+02:00".
  [[nodiscard]] std::string abbreviation(UnixMillis at) const;

 private:
  const void* zone_ = nullptr;  // null: a fixed offset
  Millis fixed_{0};
};

/// "+02:00"
[[nodiscard]] std::string offset_text(Millis offset);

}  // namespace catena
