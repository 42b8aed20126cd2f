#include "base/deadline.hpp"

#include <fmt/format.h>

#include "base/cut_text.hpp"
#include "base/iso8601.hpp"

namespace catena {
namespace {

constexpr Millis kWithinMost = std::chrono::hours{24 * 366 * 10};

Result<Deadline> read(std::string_view text, std::string_view besides) {
  if (const auto within = parse_duration(text); within && within->count() > 0 && *within <= kWithinMost) return Deadline{*within, 0};
  if (const auto written = read_iso8601(text); written && written->offset) {
    // The epoch itself stands for none.
    if (const auto at = (written->local - *written->offset).count(); at > 0) return Deadline{Millis{0}, at};
  }
  return fail(Code::field_value, fmt::format("a deadline is a span like \"2h\", of at most ten years, or a time with its offset from UTC like "
                                             "\"2027-01-31T08:00:00Z\"{}, and not \"{}\"",
                                             besides, cut_text(text, 80)));
}

}  // namespace

Result<Deadline> read_deadline(std::string_view text) { return read(text, ""); }
Result<Deadline> read_deadline_or_none(std::string_view text) { return text == "none" ? Deadline{} : read(text, ", or none"); }

std::string to_string(const Deadline& deadline) {
  if (deadline.within.count() != 0) return to_string(deadline.within);
  return deadline.at == 0 ? std::string{} : iso8601(deadline.at);
}

}  // namespace catena
