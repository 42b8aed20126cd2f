#pragma once
// Where a chain stands in a trace (W3C Trace Context), and the ids of its trace and spans. Ids are functions of what stands in the journal, so
// that whoever computes one, and whenever, comes to the same.
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace catena {

inline constexpr std::size_t kTracestateBytesMax = 512;

/// What a chain was started with.
struct TraceContext {
  std::string parent;   // a traceparent of version 00; empty: none
  std::string state;    // a tracestate; empty: none
  bool linked = false;  // the chain has a trace of its own, and a link to `parent`
  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

/// The same in the room of a pointer, because most chains have none and live long.
class KeptTrace {
 public:
  KeptTrace() = default;
  explicit KeptTrace(const TraceContext& context) : context_{context == TraceContext{} ? nullptr : std::make_unique<const TraceContext>(context)} {}
  KeptTrace(const KeptTrace& other) : KeptTrace{other.get()} {}
  KeptTrace(KeptTrace&& other) noexcept = default;
  KeptTrace& operator=(const KeptTrace& other) { return *this = KeptTrace{other}; }
  KeptTrace& operator=(KeptTrace&& other) noexcept = default;
  ~KeptTrace() = default;

  [[nodiscard]] const TraceContext& get() const {
    static const TraceContext kNone{};
    return context_ ? *context_ : kNone;
  }
  friend bool operator==(const KeptTrace& a, const KeptTrace& b) { return a.get() == b.get(); }

 private:
  std::unique_ptr<const TraceContext> context_;
};

/// Where a chain stands in its traces: what names its trace and its spans.
struct TraceStand {
  TraceContext context;
  UnixMillis started_at = 0;  // the chain
  std::uint32_t part = 0;     // parts that it has had before
};

/// What somebody says. A traceparent of a later version is read as one of version 00. Error: field_value.
[[nodiscard]] Result<TraceContext> read_trace_context(std::string_view traceparent, std::string_view tracestate);
/// The same from where nobody could be told of an error, such as headers that a proxy has added: what is not valid is passed over.
[[nodiscard]] TraceContext usable_trace_context(std::string_view traceparent, std::string_view tracestate);

/// A span, as others name it.
struct SpanName {
  std::string trace;  // 32 hexadecimal digits
  std::string span;   // 16
  std::uint32_t flags = 1;
  friend auto operator<=>(const SpanName&, const SpanName&) = default;
};
inline constexpr std::uint32_t kTraceSampled = 1;
[[nodiscard]] std::string traceparent_of(const SpanName& name);
/// Of a traceparent that was read.
[[nodiscard]] std::optional<SpanName> span_named(std::string_view traceparent);

/// The trace of a chain that has spans in it. A chain has one trace, and another one for each part of its life that begins with a retry or behind
/// a long wait.
struct ChainTrace {
  std::string id;
  std::uint32_t flags = kTraceSampled;
  std::uint32_t part = 0;
  std::string state = {};  // the tracestate that came with a trace that was given
  friend bool operator==(const ChainTrace&, const ChainTrace&) = default;
};
[[nodiscard]] ChainTrace chain_trace(const ChainId& chain, UnixMillis started_at, const TraceContext& context, std::uint32_t part);
[[nodiscard]] inline ChainTrace chain_trace(const ChainId& chain, const TraceStand& stand) {
  return chain_trace(chain, stand.started_at, stand.context, stand.part);
}

/// The span of a part of a chain, of a visit of a step, of an attempt.
[[nodiscard]] std::string chain_span(const ChainTrace& trace, const ChainId& chain);
[[nodiscard]] std::string visit_span(const ChainTrace& trace, const ChainId& chain, std::string_view step, std::uint32_t visit);
[[nodiscard]] std::string attempt_span(const ChainTrace& trace, const ChainId& chain, std::string_view step, std::uint32_t visit, ItemIndex item,
                                       Attempt attempt);

}  // namespace catena
