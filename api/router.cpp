#include "api/router.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "api/gzip.hpp"
#include "api/target.hpp"
#include "base/iso8601.hpp"
#include "base/suggest.hpp"

namespace catena::api {
namespace {

/// "{id}:cancel": what stands behind the name; none: the segment is no name.
std::optional<std::string_view> verb_of(std::string_view pattern) {
  return pattern.starts_with('{') ? std::optional{pattern.substr(pattern.find('}') + 1)} : std::nullopt;
}

/// "{id}:cancel" fits "nap:cancel".
bool fits_segment(std::string_view pattern, std::string_view segment) {
  const auto verb = verb_of(pattern);
  return verb ? segment.ends_with(*verb) && segment.size() > verb->size() : pattern == segment;
}

/// Visits the parts of a pattern beside the segments until it returns false. False, too, where there are more of one than of the other.
template <class Visit>
bool walk(std::string_view pattern, const std::vector<std::string>& segments, Visit visit) {
  pattern.remove_prefix(1);
  for (std::size_t at = 0; at < segments.size(); ++at) {
    const auto end = std::min(pattern.find('/'), pattern.size());
    if (!visit(pattern.substr(0, end), segments[at])) return false;
    const bool last = end == pattern.size();
    if (last != (at + 1 == segments.size())) return false;
    if (!last) pattern.remove_prefix(end + 1);
  }
  return true;
}

/// All routes are tried for each request, and most do not fit: nothing is kept of them.
bool fits_path(std::string_view pattern, const std::vector<std::string>& segments) { return walk(pattern, segments, fits_segment); }

/// What the names of a pattern stand for, where it fits.
std::map<std::string, std::string> values_of(std::string_view pattern, const std::vector<std::string>& segments) {
  std::map<std::string, std::string> values;
  walk(pattern, segments, [&](std::string_view part, const std::string& segment) {
    if (const auto verb = verb_of(part)) values[std::string{part.substr(1, part.find('}') - 1)}] = segment.substr(0, segment.size() - verb->size());
    return true;
  });
  return values;
}

/// A verb behind a colon is nearer than a name that has it for its end.
bool is_nearer(const Route& route, const Route& than) {
  const auto verbs = [](std::string_view path) { return std::ranges::count(path, ':'); };
  return verbs(route.path) > verbs(than.path);
}

std::string path_text(const std::vector<std::string>& segments) {
  std::string path;
  for (const auto& segment : segments) path += "/" + percent_encoded(segment);
  return path;
}

Problem no_route(const std::vector<std::string>& segments, std::span<const Route> routes) {
  const auto path = path_text(segments);
  std::vector<std::string> known;
  for (const auto& route : routes) known.emplace_back(route.path);
  Problem problem{make_error(Code::route_unknown, fmt::format("there is nothing at {}{}", path, did_you_mean(path, known)))};
  problem.error.notes.emplace_back("GET /openapi.json lists what there is");
  return problem;
}

/// Why no route has this method and path.
Problem why_no_route(std::string_view method, const std::vector<std::string>& segments, std::span<const Route> routes) {
  std::vector<std::string> allowed;
  for (const auto& route : routes) {
    if (fits_path(route.path, segments)) allowed.emplace_back(name(route.verb));
  }
  if (allowed.empty()) return no_route(segments, routes);
  std::ranges::sort(allowed);
  allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
  Problem problem{
      make_error(Code::method_not_allowed, fmt::format("{} is not offered at {}; {} is", method, path_text(segments), fmt::join(allowed, " or ")))};
  problem.headers.emplace_back("Allow", fmt::format("{}", fmt::join(allowed, ", ")));
  return problem;
}

Problem wrong_parameter(std::string_view parameter, std::string message) {
  auto error = make_error(Code::request_invalid, std::move(message));
  return problem_of({Finding{std::move(error), std::string{parameter}}});
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

std::optional<Millis> span_in(const std::string& text) {
  const bool bare = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  return parse_duration(bare ? text + "s" : text);
}

/// The value in the form in which handlers read it: a moment as a number of milliseconds. Error: what it must be.
Result<std::string> checked_value(const Parameter& parameter, const std::string& value, UnixMillis now) {
  const auto wrong = [&](const std::string& wanted) {
    return fail(Code::request_invalid, fmt::format("the parameter '{}' must be {}, and is '{}'", parameter.name, wanted, value));
  };
  switch (parameter.kind) {
    case Kind::text: return value;
    case Kind::whole: {
      const auto number = number_in(value);
      if (!number || *number < parameter.least || *number > parameter.most)
        return wrong(fmt::format("a whole number from {} to {}", parameter.least, parameter.most));
      return value;
    }
    case Kind::flag:
      if (value != "true" && value != "false") return wrong("true or false");
      return value;
    case Kind::span:
      if (!span_in(value)) return wrong("a duration, such as 250ms, 5s or 2m");
      return value;
    case Kind::moment: {
      if (const auto span = parse_duration(value)) return std::to_string(now - span->count());
      const auto moment = parse_iso8601(value);
      if (!moment) return wrong("a time of ISO 8601, or a duration before now, such as 2h");
      return std::to_string(*moment);
    }
    case Kind::choices: {
      const std::vector<std::string> known(parameter.values.begin(), parameter.values.end());
      for (std::size_t from = 0; from <= value.size();) {
        const auto end = std::min(value.find(',', from), value.size());
        const auto word = value.substr(from, end - from);
        if (std::ranges::find(known, word) == known.end())
          return fail(Code::request_invalid, fmt::format("the parameter '{}' knows no '{}'{}; it knows {}", parameter.name, word,
                                                         did_you_mean(word, known), fmt::join(known, ", ")));
        from = end + 1;
      }
      return value;
    }
  }
  return value;
}

Outcome<void> read_query(const Target& target, UnixMillis now, Asked& asked) {
  const auto& known = asked.route->query;
  for (const auto& [name, value] : target.query) {
    const auto parameter = std::ranges::find(known, name, &Parameter::name);
    if (parameter == known.end()) {
      std::vector<std::string> names;
      for (const auto& one : known) names.emplace_back(one.name);
      return refuse(wrong_parameter(
          name, fmt::format("{} {} has no parameter '{}'{}", api::name(asked.route->verb), asked.route->path, name, did_you_mean(name, names))));
    }
    auto checked = checked_value(*parameter, value, now);
    if (!checked) return refuse(wrong_parameter(name, checked.error().message));
    if (!asked.query.emplace(name, std::move(*checked)).second)
      return refuse(wrong_parameter(name, fmt::format("the parameter '{}' is given twice", name)));
  }
  return {};
}

/// "wait=30" among the preferences (RFC 7240).
std::optional<Millis> preferred_wait(std::string_view header) {
  while (!header.empty()) {
    const auto end = std::min(header.find_first_of(",;"), header.size());
    auto one = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    const auto begin = std::min(one.find_first_not_of(" \t"), one.size());
    one.remove_prefix(begin);
    if (!one.starts_with("wait=")) continue;
    one.remove_prefix(5);
    const auto seconds = number_in(one.substr(0, one.find_last_not_of(" \t") + 1));
    if (seconds && *seconds <= 86'400) return Millis{static_cast<std::int64_t>(*seconds) * 1000};
  }
  return std::nullopt;
}

void read_wait(const Request& request, Asked& asked) {
  const bool waits = std::ranges::find(asked.route->query, std::string_view{"wait"}, &Parameter::name) != asked.route->query.end();
  if (!waits) return;
  auto wait = preferred_wait(request.header("prefer"));
  if (const auto given = asked.query.find("wait"); given != asked.query.end()) wait = span_in(given->second);
  // A wait of no time is one all the same: a chain that goes on is told with 202.
  if (wait) asked.wait = std::clamp(*wait, Millis{1}, kWaitMax);
}

bool is_of_type(std::string_view type, std::string_view wanted) {
  type = type.substr(0, type.find(';'));
  type = type.substr(0, type.find_last_not_of(" \t") + 1);
  return type == wanted;
}

Outcome<void> read_body(Request& request, Asked& asked) {
  const auto& route = *asked.route;
  const auto encoding = request.header("content-encoding");
  if (!encoding.empty() && encoding != "identity" && !request.body.empty() && route.body_bytes_max > 0) {
    if (encoding != "gzip")
      return refuse(Code::media_type_unsupported,
                    fmt::format("the body has the encoding '{}'; send it as it is, or with `Content-Encoding: gzip`", encoding));
    auto body = decompressed(request.body, route.body_bytes_max);
    if (!body) return refuse(std::move(body).error());
    request.body = std::move(*body);
  }
  asked.body_bytes = request.body.size();
  if (request.body.size() > route.body_bytes_max) {
    if (route.body_bytes_max == 0) return refuse(Code::request_invalid, fmt::format("{} {} reads no body", api::name(route.verb), route.path));
    return refuse(Code::request_too_large, fmt::format("the body has {} bytes, and {} {} reads at most {}", request.body.size(),
                                                       api::name(route.verb), route.path, route.body_bytes_max));
  }
  if (route.body.empty()) return {};
  const bool absent = request.body.empty() && route.body_may_be_absent;
  if (absent && route.body_type == kJsonType) request.body = "{}";
  if (!absent && !is_of_type(request.header("content-type"), route.body_type))
    return refuse(Code::media_type_unsupported,
                  fmt::format("the body is of type '{}'; send it with `Content-Type: {}`", request.header("content-type"), route.body_type));
  if (route.body_type == kBytesType) {
    asked.bytes = std::move(request.body);
    return {};
  }
  if (route.body_type != kJsonType) {
    asked.lines = std::move(request.body);
    return {};
  }
  auto body = Body::parse(std::move(request.body));
  if (!body) return refuse(std::move(body).error());
  asked.body = std::move(*body);
  return {};
}

/// "localhost:7421" without its port, in lower case.
std::string host_name(std::string_view host) {
  const auto end = host.ends_with(']') ? host.size() : std::min(host.rfind(':'), host.size());
  std::string name{host.substr(0, end)};
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return name;
}

}  // namespace

std::string Asked::text(const std::string& parameter) const {
  const auto found = query.find(parameter);
  return found == query.end() ? std::string{} : found->second;
}

std::uint64_t Asked::whole(const std::string& parameter, std::uint64_t otherwise) const { return number_in(text(parameter)).value_or(otherwise); }

Result<void> check_origin(const Request& request, const Guard& guard) {
  const auto host = request.header("host");
  if (!guard.hosts.empty() && !guard.hosts.contains(host_name(host))) {
    return fail(Code::origin_refused,
                fmt::format("this server is not called '{}'; call it by its address, or add the name to http.hosts of its configuration", host));
  }
  const auto origin = request.header("origin");
  const auto scheme = origin.find("://");
  if (origin.empty() || (scheme != std::string_view::npos && origin.substr(scheme + 3) == host)) return {};
  return fail(Code::origin_refused, fmt::format("the request comes from a page of '{}', and only pages of this server may send it", origin));
}

Outcome<Asked> find_route(Request& request, std::span<const Route> routes, UnixMillis now, const Access& access) {
  const auto target = parse_target(request.target);
  if (!target) return refuse(target.error());
  Asked asked;
  for (const auto& route : routes) {
    if (name(route.verb) != request.method || !fits_path(route.path, target->segments)) continue;
    if (asked.route == nullptr || is_nearer(route, *asked.route)) asked.route = &route;
  }
  if (asked.route == nullptr) return refuse(why_no_route(request.method, target->segments, routes));
  asked.path = values_of(asked.route->path, target->segments);
  if (access) {
    auto may = access(request, *asked.route);
    if (!may) return refuse(std::move(may).error());
    asked.by = std::move(may->by);
    asked.namespace_ = std::move(may->namespace_);
    asked.role = may->role;
    asked.grants = std::move(may->grants);
  }
  if (auto read = read_query(*target, now, asked); !read) return refuse(std::move(read).error());
  read_wait(request, asked);
  asked.accept = request.header("accept");
  asked.idempotency_key = request.header("idempotency-key");
  asked.last_event_id = request.header("last-event-id");
  asked.if_match = request.header("if-match");
  asked.if_none_match = request.header("if-none-match");
  asked.range = request.header("range");
  asked.if_range = request.header("if-range");
  asked.trace = usable_trace_context(request.header("traceparent"), request.header("tracestate"));
  if (auto read = read_body(request, asked); !read) return refuse(std::move(read).error());
  return asked;
}

}  // namespace catena::api
