// The builtin http_request.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/characters.hpp"
#include "base/cut_text.hpp"
#include "worker/executors/builtin_functions.hpp"
#include "worker/executors/http_tool.hpp"
#include "worker/utf8.hpp"

namespace catena::worker::builtin {
namespace {

constexpr Millis kHttpTimeout{30'000};
constexpr Millis kRequestTimeoutMax = std::chrono::hours{24};
constexpr std::uint32_t kRedirects = 5;
constexpr std::size_t kBodyBytesInMessage = 200;
constexpr std::size_t kBodyBytesInDetails = 4096;
constexpr std::array<std::string_view, 7> kMethods{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};

void append_encoded(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (in_dotted_name(c) || c == '~')
      out += c;
    else
      out += fmt::format("%{:02X}", byte);
  }
}

/// A scalar as it stands in a query or a header.
std::optional<std::string> scalar(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return std::nullopt;
}

Result<std::string> with_query(const Arguments& arguments, std::string url) {
  const auto given = arguments.optional("query", lang::JsonKind::object);
  if (!given) return fail(given.error());
  if (!*given) return url;
  std::string query;
  const auto parts = (*given)->parse();
  for (const auto& [name, value] : parts.items()) {
    // a list is the same name several times; null leaves it out
    const auto values = value.is_array() ? value : value.is_null() ? Json::array() : Json::array({value});
    for (const auto& each : values) {
      const auto text = scalar(each);
      if (!text) return fail(arguments.error(Code::argument_type, "query." + name, "must be a text, a number, a boolean, null or a list of such"));
      if (!query.empty()) query += '&';
      append_encoded(query, name);
      query += '=';
      append_encoded(query, *text);
    }
  }
  if (query.empty()) return url;
  const auto fragment = std::min(url.find('#'), url.size());
  const auto* const before = url.find('?') < fragment ? "&" : "?";
  url.insert(fragment, before + query);
  return url;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Result<std::vector<HttpHeader>> headers_of(const Arguments& arguments) {
  const auto given = arguments.optional("headers", lang::JsonKind::object);
  if (!given) return fail(given.error());
  std::vector<HttpHeader> headers;
  if (!*given) return headers;
  const auto parts = (*given)->parse();
  for (const auto& [name, value] : parts.items()) {
    if (value.is_null()) continue;
    auto text = scalar(value);
    if (!text) return fail(arguments.error(Code::argument_type, "headers." + name, "must be a text, a number or a boolean"));
    headers.push_back({name, std::move(*text)});
  }
  return headers;
}

void add_unless_given(std::vector<HttpHeader>& headers, std::string_view name, std::string_view value) {
  if (std::ranges::any_of(headers, [&](const HttpHeader& header) { return same_name(header.name, name); })) return;
  headers.push_back({std::string{name}, std::string{value}});
}

/// A text is sent as it is, any other value as JSON.
std::string body_of(const Arguments& arguments, std::vector<HttpHeader>& headers) {
  const auto given = arguments.find("body");
  if (!given) return {};
  const bool text = given->kind() == lang::JsonKind::string;
  add_unless_given(headers, "Content-Type", text ? "text/plain; charset=utf-8" : "application/json");
  return text ? given->string() : std::string{given->text()};
}

/// The statuses that are an answer; none: those of success.
Result<std::vector<int>> expected(const Arguments& arguments) {
  const auto given = arguments.optional("expected_status", lang::JsonKind::list);
  if (!given) return fail(given.error());
  std::vector<int> statuses;
  if (!*given) return statuses;
  for (const auto& each : (*given)->parse()) {
    if (!each.is_number_integer() || each < 100 || each > 599) {
      return fail(arguments.error(Code::argument_type, "expected_status", "must be a list of statuses, from 100 to 599"));
    }
    statuses.push_back(each.get<int>());
  }
  return statuses;
}

Json headers_json(const HttpResponse& response) {
  Json headers = Json::object();
  for (const auto& [name, value] : response.headers) {
    auto& kept = headers[to_utf8(name)];
    kept = kept.is_null() ? to_utf8(value) : kept.get<std::string>() + ", " + to_utf8(value);
  }
  return headers;
}

/// "application/json", "application/problem+json; charset=utf-8"
bool says_json(const HttpResponse& response) {
  auto type = response.header("content-type").value_or("");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return same_name(type, "application/json") || (type.size() > 5 && same_name(type.substr(type.size() - 5), "+json"));
}

/// Appends `"body":…`: JSON as it came, or a text.
void append_body(std::string& out, const HttpResponse& response) {
  if (says_json(response)) {
    if (const auto json = lang::parse_json_text(response.body)) {
      out += json->text;
      return;
    }
  }
  append_quoted(out, response.body);
}

}  // namespace

Result<Millis> request_timeout(const Arguments& arguments, const Task& task, Millis otherwise) {
  const auto shortest = [&](Millis chosen) { return task.timeout.count() > 0 ? std::min(chosen, task.timeout) : chosen; };
  const auto given = arguments.find("timeout");
  if (!given) return shortest(otherwise);
  std::optional<Millis> span;
  if (given->kind() == lang::JsonKind::string) span = parse_duration(given->string());
  if (given->kind() == lang::JsonKind::number) {
    const auto seconds = read_number(*given).value();
    if (seconds > 0 && seconds <= std::chrono::duration<long double>{kRequestTimeoutMax}.count()) span = Millis{std::llround(seconds * 1000)};
  }
  if (span && *span >= Millis{1} && *span <= kRequestTimeoutMax) return shortest(*span);
  return fail(arguments.error(
      Code::field_value, "timeout",
      fmt::format("must be a duration like \"5s\", or a number of seconds, of at most a day, but it is {}", cut_text(given->text(), 80))));
}

Error unwanted_status(std::string_view url, const HttpResponse& response, std::string_view body, UnixMillis now) {
  const auto shown = to_utf8(body.substr(0, kBodyBytesInMessage));
  auto error = make_error(is_temporary(response.status) ? Code::tool_temporary : Code::tool_failed,
                          fmt::format("'{}' answered with status {}{}{}", shown_url(url), response.status, shown.empty() ? "" : ": ", shown));
  error.details = Json{{"status", response.status}};
  if (!body.empty()) error.details["body"] = to_utf8(body.substr(0, kBodyBytesInDetails));
  if (const auto wait = retry_after(response, now); wait && error.retryable) error.details["retry_after_ms"] = wait->count();
  return error;
}

Result<lang::JsonText> http_request(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto url = arguments.string("url");
  if (!url) return fail(url.error());
  auto address = with_query(arguments, *url);
  if (!address) return fail(address.error());
  const auto method = arguments.string_or("method", "GET");
  if (!method) return fail(method.error());
  if (std::ranges::find(kMethods, *method) == kMethods.end()) {
    return fail(arguments.error(Code::argument_enum, "method", fmt::format("is '{}', which is none of {}", *method, fmt::join(kMethods, ", "))));
  }
  auto headers = headers_of(arguments);
  if (!headers) return fail(headers.error());
  const auto body = body_of(arguments, *headers);
  // what does not change anything needs no key
  if (*method != "GET" && *method != "HEAD" && *method != "OPTIONS") add_unless_given(*headers, "Idempotency-Key", task.key);
  const auto statuses = expected(arguments);
  if (!statuses) return fail(statuses.error());
  const auto any = arguments.optional("accept_any_status", lang::JsonKind::boolean);
  if (!any) return fail(any.error());
  const auto timeout = request_timeout(arguments, task, kHttpTimeout);
  if (!timeout) return fail(timeout.error());

  auto response = around.http.send({.method = *method,
                                    .url = *address,
                                    .headers = std::move(*headers),
                                    .body = body,
                                    .timeout = *timeout,
                                    .body_bytes_max = around.options.output_bytes_max,
                                    .redirects_max = kRedirects},
                                   around.stop);
  if (!response) return fail(std::move(response.error()));
  const bool wanted =
      statuses->empty() ? response->status >= 200 && response->status <= 299 : std::ranges::find(*statuses, response->status) != statuses->end();
  if (!wanted && !(*any && (*any)->text() == "true")) {
    return fail(unwanted_status(*address, *response, response->body, around.options.clock->now()));
  }
  lang::JsonText made{R"({"body":)"};
  append_body(made.text, *response);
  made.text += fmt::format(R"(,"headers":{},"status":{}}})", headers_json(*response).dump(), response->status);
  return made;
}

}  // namespace catena::worker::builtin
