#include "base/trace_context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"

namespace catena {
namespace {

// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanAt = 36;
constexpr std::size_t kSpanDigits = 16;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kParentBytes = 55;
constexpr std::size_t kStateMembersMax = 32;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}
bool is_zero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

bool is_traceparent(std::string_view text) {
  if (text.size() < kParentBytes || text[2] != '-' || text[kSpanAt - 1] != '-' || text[kFlagsAt - 1] != '-') return false;
  const auto version = text.substr(0, 2);
  if (!is_hex(version) || version == "ff" || (version == "00" && text.size() != kParentBytes)) return false;
  if (text.size() > kParentBytes && text[kParentBytes] != '-') return false;
  const auto trace = text.substr(kTraceAt, kTraceDigits);
  const auto span = text.substr(kSpanAt, kSpanDigits);
  return is_hex(trace) && is_hex(span) && is_hex(text.substr(kFlagsAt, 2)) && !is_zero(trace) && !is_zero(span);
}

/// key=value; the key has small letters, digits and _ - * / @, the value visible signs and spaces but , and =.
bool is_state_member(std::string_view member) {
  constexpr std::size_t kPartMax = 256;
  const auto equals = member.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals > kPartMax || member.size() - equals - 1 > kPartMax) return false;
  const auto key = member.substr(0, equals);
  const auto value = member.substr(equals + 1);
  const auto in_key = [](char c) { return (c >= 'a' && c <= 'z') || is_digit(c) || std::string_view{"_-*/@"}.find(c) != std::string_view::npos; };
  return std::ranges::all_of(key, in_key) && !value.empty() && value.find('=') == std::string_view::npos &&
         std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
}

bool is_tracestate(std::string_view text) {
  if (text.size() > kTracestateBytesMax) return false;
  std::size_t members = 0;
  while (!text.empty()) {
    const auto end = text.find(',');
    const auto member = without_space_around(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (member.empty()) continue;
    if (!is_state_member(member) || ++members > kStateMembersMax) return false;
  }
  return true;
}

std::string normal_parent(std::string_view traceparent) { return fmt::format("00{}", traceparent.substr(2, kParentBytes - 2)); }

std::string span_id(const ChainTrace& trace, const ChainId& chain, std::string_view step, std::uint32_t visit, ItemIndex item, Attempt attempt) {
  const auto hash = hash64(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", trace.id, chain.value, trace.part, step, visit, item, attempt));
  return fmt::format("{:016x}", std::max<std::uint64_t>(hash, 1));  // zero is no id
}

/// Each thread keeps the last id that it made: the steps of a chain ask for the same one after the other.
const std::string& own_trace(const ChainId& chain, UnixMillis started_at, std::uint32_t part) {
  struct Made {
    std::string chain;
    UnixMillis started_at = 0;
    std::uint32_t part = 0;
    std::string id;
  };
  thread_local Made last;
  if (last.id.empty() || last.chain != chain.value || last.started_at != started_at || last.part != part)
    last = {chain.value, started_at, part,
            sha256_hex(fmt::format("catena trace\n{}\n{}\n{}", chain.value, started_at, part)).substr(0, kTraceDigits)};
  return last.id;
}

}  // namespace

Result<TraceContext> read_trace_context(std::string_view traceparent, std::string_view tracestate) {
  if (traceparent.empty()) {
    if (tracestate.empty()) return TraceContext{};
    return fail(Code::field_value, "a tracestate stands beside a traceparent, and there is none");
  }
  if (!is_traceparent(traceparent)) {
    return fail(Code::field_value, fmt::format("{} is no traceparent; one looks like 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                               dump_lossy(Json(std::string{traceparent.substr(0, 80)}))));
  }
  if (!is_tracestate(tracestate)) {
    return fail(Code::field_value, fmt::format("a tracestate has up to {} members key=value, separated by commas, in at most {} bytes",
                                               kStateMembersMax, kTracestateBytesMax));
  }
  return TraceContext{normal_parent(traceparent), std::string{tracestate}, false};
}

TraceContext usable_trace_context(std::string_view traceparent, std::string_view tracestate) {
  if (!is_traceparent(traceparent)) return {};
  return {normal_parent(traceparent), is_tracestate(tracestate) ? std::string{tracestate} : std::string{}, false};
}

std::string traceparent_of(const SpanName& name) { return fmt::format("00-{}-{}-{:02x}", name.trace, name.span, name.flags & 0xffU); }

std::optional<SpanName> span_named(std::string_view traceparent) {
  if (!is_traceparent(traceparent)) return std::nullopt;
  const auto digit = [&](std::size_t at) {
    const char c = traceparent[at];
    return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  return SpanName{std::string{traceparent.substr(kTraceAt, kTraceDigits)}, std::string{traceparent.substr(kSpanAt, kSpanDigits)},
                  digit(kFlagsAt) * 16 + digit(kFlagsAt + 1)};
}

ChainTrace chain_trace(const ChainId& chain, UnixMillis started_at, const TraceContext& context, std::uint32_t part) {
  const auto given = span_named(context.parent);
  ChainTrace trace;
  trace.part = part;
  if (given) trace.flags = given->flags;
  if (given && !context.linked && part == 0) {
    trace.id = given->trace;
    trace.state = context.state;
    return trace;
  }
  trace.id = own_trace(chain, started_at, part);
  return trace;
}

std::string chain_span(const ChainTrace& trace, const ChainId& chain) { return span_id(trace, chain, "", 0, 0, 0); }

std::string visit_span(const ChainTrace& trace, const ChainId& chain, std::string_view step, std::uint32_t visit) {
  return span_id(trace, chain, step, visit, 0, 0);
}

std::string attempt_span(const ChainTrace& trace, const ChainId& chain, std::string_view step, std::uint32_t visit, ItemIndex item, Attempt attempt) {
  return span_id(trace, chain, step, visit, item, attempt);
}

}  // namespace catena
