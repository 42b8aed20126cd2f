#pragma once
// By when something has to be over, as people say it: so long after it begins, or at a point in time.
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace catena {

struct Deadline {
  Millis within{0};   // from the begin on; 0: not said so
  UnixMillis at = 0;  // 0: not said so

  [[nodiscard]] bool empty() const { return within.count() == 0 && at == 0; }
  /// Of what begins then; 0: it has none.
  [[nodiscard]] UnixMillis of_begin(UnixMillis begin) const { return within.count() == 0 ? at : begin + within.count(); }
  friend bool operator==(const Deadline&, const Deadline&) = default;
};

/// "2h", at most ten years; or RFC 3339 with its offset, "2027-01-31T08:00:00+01:00". Error: field_value.
[[nodiscard]] Result<Deadline> read_deadline(std::string_view text);
/// The same; "none" is an empty one.
[[nodiscard]] Result<Deadline> read_deadline_or_none(std::string_view text);
/// read_deadline reads it back. Empty: there is none.
[[nodiscard]] std::string to_string(const Deadline& deadline);

}  // namespace catena
