#pragma once
// Whether a request is what the JSON mapping of OTLP says, and what spans it has.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace catena::coordinator::test {

/// By the ids of trace and span.
using SpansById = std::map<std::pair<std::string, std::string>, Json>;

inline bool is_otlp_id(const Json& id, std::size_t digits) {
  if (!id.is_string()) return false;
  const auto& text = id.get_ref<const std::string&>();
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos && text.find_first_not_of('0') != std::string::npos;
}
/// Numbers of 64 bits are texts.
inline bool is_otlp_number(const Json& number) {
  return number.is_string() && !number.get_ref<const std::string&>().empty() &&
         number.get_ref<const std::string&>().find_first_not_of("0123456789") == std::string::npos;
}
inline bool has_only(const Json& object, std::vector<std::string> members) {
  if (!object.is_object()) return false;
  for (const auto& [name, value] : object.items()) {
    if (std::ranges::find(members, name) == members.end()) return false;
  }
  return true;
}

inline void check_otlp_attributes(const Json& attributes) {
  REQUIRE(attributes.is_array());
  std::vector<std::string> keys;
  for (const auto& attribute : attributes) {
    CHECK(has_only(attribute, {"key", "value"}));
    keys.push_back(attribute.at("key").get<std::string>());
    const auto& value = attribute.at("value");
    CHECK(value.size() == 1);
    CHECK(has_only(value, {"stringValue", "intValue", "boolValue"}));
    if (value.contains("intValue")) CHECK(is_otlp_number(value["intValue"]));
    if (value.contains("stringValue")) CHECK(value["stringValue"].is_string());
  }
  std::ranges::sort(keys);
  CHECK(std::ranges::adjacent_find(keys) == keys.end());
}

/// A span that was told before must be the same.
inline void check_otlp(const Json& body, SpansById& seen) {
  CHECK(has_only(body, {"resourceSpans"}));
  for (const auto& resource : body.at("resourceSpans")) {
    CHECK(has_only(resource, {"resource", "scopeSpans", "schemaUrl"}));
    check_otlp_attributes(resource.at("resource").at("attributes"));
    for (const auto& scope : resource.at("scopeSpans")) {
      CHECK(has_only(scope, {"scope", "spans", "schemaUrl"}));
      CHECK(has_only(scope.at("scope"), {"name", "version"}));
      for (const auto& span : scope.at("spans")) {
        INFO(span.dump());
        CHECK(has_only(span, {"traceId", "spanId", "parentSpanId", "traceState", "name", "kind", "startTimeUnixNano", "endTimeUnixNano", "attributes",
                              "links", "status"}));
        CHECK(is_otlp_id(span.at("traceId"), 32));
        CHECK(is_otlp_id(span.at("spanId"), 16));
        if (span.contains("parentSpanId")) CHECK(is_otlp_id(span["parentSpanId"], 16));
        CHECK(is_otlp_number(span.at("startTimeUnixNano")));
        CHECK(is_otlp_number(span.at("endTimeUnixNano")));
        CHECK_FALSE(span.at("name").get<std::string>().empty());
        CHECK(span.at("kind").is_number_integer());
        check_otlp_attributes(span.at("attributes"));
        for (const auto& link : span.value("links", Json::array())) {
          CHECK(is_otlp_id(link.at("traceId"), 32));
          CHECK(is_otlp_id(link.at("spanId"), 16));
        }
        const auto [known, is_new] = seen.try_emplace({span["traceId"], span["spanId"]}, span);
        if (!is_new) CHECK(known->second == span);
      }
    }
  }
}

/// Spans whose parent is not there.
inline std::vector<std::string> orphans_of(const SpansById& spans) {
  std::vector<std::string> orphans;
  for (const auto& [id, span] : spans) {
    if (span.contains("parentSpanId") && !spans.contains({id.first, span["parentSpanId"].get<std::string>()})) orphans.push_back(span["name"]);
  }
  return orphans;
}

}  // namespace catena::coordinator::test
