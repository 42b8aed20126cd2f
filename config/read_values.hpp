#pragma once
// Values of settings, from the texts that stand for them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.hpp"
#include "base/time.hpp"

namespace catena::config {

template <std::unsigned_integral Number>
[[nodiscard]] Result<void> read_number(Number& number, std::string_view text, Number least) {
  Number value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size() || value < least) {
    return fail(Code::field_value, fmt::format("'{}' is not a whole number of {} or more", text, least));
  }
  number = value;
  return {};
}

/// "5s"; a number alone counts milliseconds, as in files of earlier versions.
[[nodiscard]] inline Result<void> read_span(std::uint32_t& millis, std::string_view text, std::uint32_t least) {
  const bool bare = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  const auto span = parse_duration(bare ? std::string{text} + "ms" : std::string{text});
  if (!span || span->count() < least || span->count() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(Code::field_value, fmt::format("'{}' is no duration{}; write one such as 250ms, 5s, 2m or 1h", text,
                                               least == 0 ? std::string{} : fmt::format(" of {} or more", to_string(Millis{least}))));
  }
  millis = static_cast<std::uint32_t>(span->count());
  return {};
}

[[nodiscard]] inline Result<void> read_flag(bool& flag, std::string_view text) {
  if (text != "true" && text != "false") return fail(Code::field_value, fmt::format("'{}' is neither true nor false", text));
  flag = text == "true";
  return {};
}

}  // namespace catena::config
