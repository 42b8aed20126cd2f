#pragma once
// Spans as a request of OTLP over HTTP has them, in its JSON form.
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "coordinator/traces/spans.hpp"

namespace catena::coordinator {

/// Attributes of the process that the spans are of: "service.name" and others.
using TraceResource = std::map<std::string, std::string>;

/// "a=b,c=d%20e", as OTEL_RESOURCE_ATTRIBUTES and OTEL_EXPORTER_OTLP_HEADERS have it. What has no `=` is left out.
[[nodiscard]] std::map<std::string, std::string> read_pairs(std::string_view text);

/// The body of one request.
[[nodiscard]] std::string otlp_json(std::span<const Span> spans, const TraceResource& resource, std::string_view version);

}  // namespace catena::coordinator
