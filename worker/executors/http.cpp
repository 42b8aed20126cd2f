#include "worker/executors/http.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "worker/utf8.hpp"

namespace catena::worker {
namespace {

constexpr std::size_t kBodyBytesShown = 200;
/// Of a failed request's body, in the error's details, which are stored.
constexpr std::size_t kBodyBytesInError = 4UL << 10U;
/// Of one server to itself, keeping the method: a path that has moved.
constexpr std::uint32_t kRedirectsMax = 5;
/// Where the attempt has no timeout: a server that never answers must not hold a slot for ever.
constexpr Millis kTimeoutDefault = std::chrono::hours{1};

std::string beginning(std::string_view body, std::size_t bytes) { return to_utf8(body.substr(0, bytes)); }

class HttpExecutor final : public Executor {
 public:
  HttpExecutor(std::string_view scheme, std::shared_ptr<HttpClient> client, const ExecutorOptions& options)
      : scheme_{scheme}, client_{std::move(client)}, output_bytes_max_{options.output_bytes_max} {}

  [[nodiscard]] std::string_view kind() const override { return scheme_; }

  [[nodiscard]] Outcome run(const Task& task, const StopToken& stop) override { return {.response = call(task, stop), .stderr_tail = {}}; }

 private:
  [[nodiscard]] Result<lang::JsonText> call(const Task& task, const StopToken& stop) const {
    HttpRequest request;
    request.url = fmt::format("{}:{}", scheme_, task.endpoint.target);
    request.headers = {{"Content-Type", "application/json"},
                       {"Accept", "application/json"},
                       {"Idempotency-Key", task.key},
                       {"X-Catena-Attempt", std::to_string(task.attempt)},
                       {"User-Agent", "catena/" CATENA_VERSION}};
    if (!task.context.empty()) request.headers.push_back({"X-Catena-Context", task.context});
    if (auto parent = traceparent_of(task); !parent.empty()) request.headers.push_back({"traceparent", std::move(parent)});
    if (const auto state = tracestate_of(task); !state.empty()) request.headers.push_back({"tracestate", std::string{state}});
    request.body = task.arguments.text;
    request.timeout = task.timeout.count() > 0 ? task.timeout : kTimeoutDefault;
    request.body_bytes_max = output_bytes_max_;
    request.redirects_max = kRedirectsMax;
    auto response = client_->send(request, stop);
    if (!response) {
      response.error().message = describe(task) + ": " + response.error().message;
      return fail(std::move(response).error());
    }
    if (response->status < 200 || response->status > 299) return fail(refusal(task, *response));
    return answer(task, *response);
  }

  static Result<lang::JsonText> answer(const Task& task, const HttpResponse& response) {
    if (is_blank(response.body)) return lang::JsonText{"{}"};
    const auto invalid = [&](std::string_view what) {
      auto error = make_error(Code::tool_output_invalid, fmt::format("{} answered {}, but its body is {}; it begins with: {}", describe(task),
                                                                     response.status, what, beginning(response.body, kBodyBytesShown)));
      error.details = Json{{"status", response.status}};
      return error;
    };
    auto text = lang::parse_json_text(response.body);
    if (!text) {
      auto error = invalid("not JSON: " + text.error().message);
      error.cause = std::make_shared<const Error>(std::move(text).error());
      return fail(std::move(error));
    }
    if (const auto kind = lang::JsonView{*text}.kind(); kind != lang::JsonKind::object) {
      return fail(invalid(fmt::format("a JSON {} and not an object", lang::name(kind))));
    }
    return text;
  }

  static Error refusal(const Task& task, const HttpResponse& response) {
    const bool temporary = is_temporary(response.status);
    auto message = fmt::format("{} answered {}", describe(task), response.status);
    if (const auto location = response.header("location"))
      message += fmt::format(", a redirect to '{}' that is not followed", shown_url(to_utf8(*location)));
    if (!is_blank(response.body)) message += ": " + beginning(response.body, kBodyBytesShown);
    auto error = make_error(temporary ? Code::tool_temporary : Code::tool_failed, std::move(message));
    error.details = Json{{"status", response.status}};
    if (!response.body.empty()) error.details["body"] = beginning(response.body, kBodyBytesInError);
    if (temporary) {
      if (const auto wait = retry_after(response, SystemClock{}.now())) error.details["retry_after_ms"] = wait->count();
    }
    return error;
  }

  std::string_view scheme_;
  std::shared_ptr<HttpClient> client_;
  std::size_t output_bytes_max_;
};

}  // namespace

std::unique_ptr<Executor> make_http_executor(std::string_view scheme, std::shared_ptr<HttpClient> client, const ExecutorOptions& options) {
  return std::make_unique<HttpExecutor>(scheme, std::move(client), options);
}

}  // namespace catena::worker
