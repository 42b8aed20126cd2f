#pragma once
// Sends traces to a receiver of OTLP over HTTP, on a thread of its own that reads the store: no commit waits for it.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "base/result.hpp"
#include "config/settings.hpp"
#include "coordinator/traces/teller.hpp"
#include "storage/kv.hpp"
#include "worker/http_client.hpp"

namespace catena::cli {

/// Where traces go.
struct TraceTarget {
  std::string url;  // of the requests; empty: nowhere
  std::vector<worker::HttpHeader> headers = {};
  Millis timeout{10'000};
  bool compress = true;
  coordinator::TraceResource resource = {};
};
/// From the setting and the variables that all exporters of OTLP know: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT and _ENDPOINT, _HEADERS, _TIMEOUT,
/// _COMPRESSION, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES, OTEL_SDK_DISABLED.
[[nodiscard]] TraceTarget trace_target(const config::Settings& settings, const config::Environment& environment);

class TraceExport {
 public:
  /// `log` hears of errors of the store, and when the receiver goes away or comes back.
  TraceExport(TraceTarget target, const worker::HttpOptions& http, coordinator::TellerOptions teller, std::uint64_t next,
              std::function<void(const std::string&)> log);
  /// Ends at once: what was not told is told after the next start.
  ~TraceExport();
  TraceExport(const TraceExport&) = delete;
  TraceExport& operator=(const TraceExport&) = delete;

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

}  // namespace catena::cli
