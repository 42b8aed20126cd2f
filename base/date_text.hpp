#pragma once
// Points in time as a format of the reader's choice says them: `%Y-%m-%d %H:%M`. English names, whatever the machine's language.
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/time_zone.hpp"

namespace catena {

/// Times of a four-digit year: what these functions make and take.
inline constexpr UnixMillis kFirstTime = -62'135'596'800'000;  // 0001-01-01
inline constexpr UnixMillis kLastTime = 253'402'300'799'999;   // 9999-12-31

/// %Y %y %m %d %e %j %H %I %M %S %f %p %a %A %b %B %u %G %V %z %Z %s %F %T %R %%. Errors: expression_value.
[[nodiscard]] Result<std::string> format_date(UnixMillis at, std::string_view format, const TimeZone& zone);
/// The same but %u %G %V %Z; what the text says no zone of is of `zone`. Errors: expression_value.
[[nodiscard]] Result<UnixMillis> parse_date(std::string_view text, std::string_view format, const TimeZone& zone);

}  // namespace catena
