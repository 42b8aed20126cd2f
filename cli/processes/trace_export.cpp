#include "cli/processes/trace_export.hpp"

#include <charconv>
#include <chrono>
#include <thread>
#include <utility>

#include "api/gzip.hpp"
#include "base/clock.hpp"
#include "worker/stop.hpp"

namespace catena::cli {
namespace {

constexpr int kOk = 200;
constexpr int kRedirect = 300;
constexpr int kTooMany = 429;
constexpr int kUnavailable = 503;
constexpr std::size_t kAnswerBytesMax = 64UL << 10U;
constexpr Millis kAfterStoreError{5'000};

/// Of a receiver, as the variables of OTLP have it: a base URL gets the path of traces.
std::string url_below(std::string base) {
  if (base.empty()) return base;
  while (base.ends_with('/')) base.pop_back();
  return base + "/v1/traces";
}

std::string first_of(const config::Environment& environment, std::initializer_list<const char*> variables) {
  for (const auto* variable : variables) {
    if (auto value = environment(variable); value && !value->empty()) return std::move(*value);
  }
  return {};
}

}  // namespace

TraceTarget trace_target(const config::Settings& settings, const config::Environment& environment) {
  TraceTarget target;
  if (environment("OTEL_SDK_DISABLED") == "true") return target;
  target.url = url_below(settings.traces_endpoint);
  if (target.url.empty()) target.url = first_of(environment, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"});
  if (target.url.empty()) target.url = url_below(first_of(environment, {"OTEL_EXPORTER_OTLP_ENDPOINT"}));
  for (const auto& variable : {"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}) {
    for (auto& [name, value] : coordinator::read_pairs(environment(variable).value_or(""))) target.headers.push_back({name, value});
  }
  const auto timeout = first_of(environment, {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"});
  std::uint32_t milliseconds = 0;
  const auto [end, failed] = std::from_chars(timeout.data(), timeout.data() + timeout.size(), milliseconds);
  if (failed == std::errc{} && end == timeout.data() + timeout.size() && milliseconds > 0) target.timeout = Millis{milliseconds};
  target.compress = first_of(environment, {"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "OTEL_EXPORTER_OTLP_COMPRESSION"}) != "none";
  target.resource = coordinator::read_pairs(environment("OTEL_RESOURCE_ATTRIBUTES").value_or(""));
  if (auto name = first_of(environment, {"OTEL_SERVICE_NAME"}); !name.empty()) target.resource["service.name"] = std::move(name);
  target.resource.try_emplace("service.name", "catena");
  target.resource.try_emplace("service.version", CATENA_VERSION);
  return target;
}

class TraceExport::Thread {
 public:
  Thread(TraceTarget target, const worker::HttpOptions& http, coordinator::TellerOptions options, std::uint64_t next,
         std::function<void(const std::string&)> log)
      : target_{std::move(target)}, client_{http}, log_{std::move(log)}, stop_{source_.token()}, teller_{with_receiver(std::move(options)), next} {
    thread_ = std::thread{[this] { run(); }};
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread() {
    source_.request_stop();
    thread_.join();
  }

 private:
  coordinator::TellerOptions with_receiver(coordinator::TellerOptions options) {
    options.tell = [this](const std::string& body) { return tell(body); };
    return options;
  }

  void run() {
    while (!stop_.stop_requested()) {
      const auto pause = teller_.turn();
      if (!pause) log_("traces: " + pause.error().message);
      if (stop_.wait_for(pause ? *pause : kAfterStoreError)) return;
    }
  }

  coordinator::Telling tell(const std::string& body) {
    worker::HttpRequest request;
    request.url = target_.url;
    request.headers = target_.headers;
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back({"User-Agent", "catena/" CATENA_VERSION});
    const auto packed = target_.compress ? api::compressed(body) : std::string{};
    if (target_.compress) request.headers.push_back({"Content-Encoding", "gzip"});
    request.body = target_.compress ? packed : body;
    request.timeout = target_.timeout;
    request.body_bytes_max = kAnswerBytesMax;
    const auto answer = client_.send(request, stop_);
    auto telling = meaning(answer);
    note(telling, answer ? "it answers " + std::to_string(answer->status) : answer.error().message);
    return telling;
  }

  static coordinator::Telling meaning(const Result<worker::HttpResponse>& answer) {
    using Outcome = coordinator::Telling::Outcome;
    if (!answer) return {Outcome::later, {}};
    if (answer->status >= kOk && answer->status < kRedirect) return {};
    if (answer->status != kTooMany && answer->status != kUnavailable && !worker::is_temporary(answer->status)) return {Outcome::refused, {}};
    return {Outcome::later, worker::retry_after(*answer, SystemClock{}.now())};
  }

  /// Once when it changes.
  void note(const coordinator::Telling& telling, const std::string& why) {
    if (telling.outcome == last_ || stop_.stop_requested()) return;
    last_ = telling.outcome;
    const auto where = worker::shown_url(target_.url);
    switch (telling.outcome) {
      case coordinator::Telling::Outcome::taken: return log_("traces: the receiver " + where + " takes them again");
      case coordinator::Telling::Outcome::refused: return log_("traces: the receiver " + where + " refuses spans, which are dropped: " + why);
      case coordinator::Telling::Outcome::later: return log_("traces: the receiver " + where + " takes none; they are sent again later: " + why);
    }
  }

  TraceTarget target_;
  worker::HttpClient client_;
  std::function<void(const std::string&)> log_;
  worker::StopSource source_;
  worker::StopToken stop_;
  coordinator::TraceTeller teller_;
  coordinator::Telling::Outcome last_ = coordinator::Telling::Outcome::taken;
  std::thread thread_;
};

TraceExport::TraceExport(TraceTarget target, const worker::HttpOptions& http, coordinator::TellerOptions teller, std::uint64_t next,
                         std::function<void(const std::string&)> log)
    : thread_{std::make_unique<Thread>(std::move(target), http, std::move(teller), next, std::move(log))} {}

TraceExport::~TraceExport() = default;

}  // namespace catena::cli
