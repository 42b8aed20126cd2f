#include "coordinator/traces/otlp.hpp"

#include <algorithm>

#include "base/characters.hpp"
#include "base/json.hpp"

namespace catena::coordinator {
namespace {

/// Of the conventions that names of attributes follow.
constexpr std::string_view kSchema = "https://opentelemetry.io/schemas/1.37.0";
constexpr int kInternal = 1;
constexpr int kStatusError = 2;

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool coded = text[at] == '%' && at + 2 < text.size() && hex_digit(text[at + 1]) >= 0 && hex_digit(text[at + 2]) >= 0;
    out += coded ? static_cast<char>(hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2])) : text[at];
    if (coded) at += 2;
  }
  return out;
}

/// Numbers of 64 bits are texts in JSON: its readers take them for doubles.
Json otlp_value(const Json& value) {
  if (value.is_boolean()) return {{"boolValue", value}};
  if (value.is_number_integer()) return {{"intValue", value.dump()}};
  return {{"stringValue", value.is_string() ? value : Json(value.dump())}};
}

template <class Map>
Json otlp_attributes(const Map& attributes) {
  auto list = Json::array();
  for (const auto& [key, value] : attributes) list.push_back({{"key", key}, {"value", otlp_value(Json(value))}});
  return list;
}

std::string nanoseconds(UnixMillis at) { return std::to_string(at) + "000000"; }

Json otlp_span(const Span& span) {
  Json json{{"traceId", span.trace},
            {"spanId", span.id},
            {"name", span.name},
            {"kind", kInternal},
            {"startTimeUnixNano", nanoseconds(span.begin)},
            {"endTimeUnixNano", nanoseconds(std::max(span.end, span.begin))},
            {"attributes", Json::array()}};
  for (const auto& [key, value] : span.attributes.items()) json["attributes"].push_back({{"key", key}, {"value", otlp_value(value)}});
  if (!span.parent.empty()) json["parentSpanId"] = span.parent;
  if (!span.tracestate.empty()) json["traceState"] = span.tracestate;
  for (const auto& link : span.links) json["links"].push_back({{"traceId", link.trace}, {"spanId", link.span}});
  if (span.error.empty()) return json;
  json["status"] = {{"code", kStatusError}, {"message", span.error}};
  json["attributes"].push_back({{"key", "catena.error.code"}, {"value", {{"stringValue", span.error}}}});
  json["attributes"].push_back({{"key", "error.type"}, {"value", {{"stringValue", span.error}}}});
  return json;
}

}  // namespace

std::map<std::string, std::string> read_pairs(std::string_view text) {
  std::map<std::string, std::string> pairs;
  while (!text.empty()) {
    const auto end = text.find(',');
    const auto pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const auto equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = percent_decoded(without_space_around(pair.substr(0, equals)));
    if (!key.empty()) pairs[key] = percent_decoded(without_space_around(pair.substr(equals + 1)));
  }
  return pairs;
}

std::string otlp_json(std::span<const Span> spans, const TraceResource& resource, std::string_view version) {
  auto list = Json::array();
  for (const auto& span : spans) list.push_back(otlp_span(span));
  Json scope{{"scope", {{"name", "catena"}, {"version", version}}}, {"spans", std::move(list)}, {"schemaUrl", kSchema}};
  Json of_resource{
      {"resource", {{"attributes", otlp_attributes(resource)}}}, {"scopeSpans", Json::array({std::move(scope)})}, {"schemaUrl", kSchema}};
  return dump_lossy({{"resourceSpans", Json::array({std::move(of_resource)})}});
}

}  // namespace catena::coordinator
