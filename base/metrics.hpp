#pragma once
// What a process counts about itself. One table of metrics, which names the values that labels may have, so the number of series is known when
// the process starts and does not grow with chains, items or workers. Any thread may write, without locks; readers take a copy.
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace catena {

enum class Metric : std::uint8_t {
  chains_started,
  chains_ended,
  chains_quarantined,
  chains_removed,
  chain_duration,
  steps_settled,
  step_duration,
  items_settled,
  attempts_granted,
  attempts_ended,
  attempts_in_doubt,
  attempt_duration,
  retries,
  controls,
  events,
  commits,
  commit_bytes,
  commit_duration,
  chains_live,
  steps_waiting,
  workers,
  workers_lost,
  slots,
  slots_used,
  admission_closed,
  webhook_tries,
  webhooks_pending,
  schedules,
  schedule_runs,
  resident_bytes,
  cpu_micros,
  open_descriptors,
  data_bytes_free,
  trace_spans,
  trace_failures,
  trace_gaps,
  http_requests,
  http_duration,
  http_waiting,
  http_streams,
};
inline constexpr std::size_t kMetrics = static_cast<std::size_t>(Metric::http_streams) + 1;

enum class MetricKind : std::uint8_t { counter, gauge, histogram };

/// A row of the table. Names are as Prometheus has them: base units, counters end with `_total`.
struct MetricInfo {
  Metric metric;
  std::string_view name;
  MetricKind kind;
  std::string_view unit;                          // "seconds" and "bytes" are part of the name; empty: a count
  std::string_view help;                          // one sentence, without its full stop
  std::string_view label = {};                    // of its series; empty: there is one series
  std::span<const std::string_view> values = {};  // that the label may have, one series each
  std::span<const std::int64_t> bounds = {};      // of a histogram: upper bounds of its buckets in microseconds, ascending; the last bucket has none
};
/// In the order of the enumeration.
[[nodiscard]] std::span<const MetricInfo> all_metrics();
[[nodiscard]] const MetricInfo& info_of(Metric metric);

/// A chain whose value fell into a bucket: the latest, or one up to a second before it.
struct Exemplar {
  std::string chain;
  std::string trace;  // that has its spans; empty: none
  std::int64_t micros = 0;
  UnixMillis at = 0;
};
struct HistogramCopy {
  std::vector<std::uint64_t> buckets;  // not cumulative; one more than there are bounds
  std::vector<std::optional<Exemplar>> exemplars;
  std::int64_t sum_micros = 0;
};
/// One series.
struct Sample {
  Metric metric;
  std::size_t value = 0;    // index among the values of its label
  std::int64_t number = 0;  // of a counter or a gauge
  HistogramCopy histogram = {};
};

class Metrics {
 public:
  Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// `value`: index among the values of its label.
  void add(Metric metric, std::uint64_t by = 1, std::size_t value = 0) {
    number(metric, value).fetch_add(static_cast<std::int64_t>(by), std::memory_order_relaxed);
  }
  void set(Metric metric, std::int64_t to, std::size_t value = 0) { number(metric, value).store(to, std::memory_order_relaxed); }
  /// Of a histogram, so many times. Less than nothing counts as nothing.
  void observe(Metric metric, std::int64_t micros, std::uint64_t times = 1);
  /// Once, and remembers the chain as an example of its bucket, where there is no recent one. `trace`: asked for the trace that has its spans then;
  /// empty: none.
  void observe_of(std::string_view chain, Metric metric, std::int64_t micros, UnixMillis at, const std::function<std::string()>& trace = {});

  /// All series, in the order of the table. O(series).
  [[nodiscard]] std::vector<Sample> copy() const;

 private:
  struct Histogram {
    std::vector<std::atomic<std::uint64_t>> buckets;
    std::atomic<std::int64_t> sum{0};
    std::vector<std::optional<Exemplar>> exemplars;
  };
  [[nodiscard]] std::atomic<std::int64_t>& number(Metric metric, std::size_t value) {
    return numbers_[first_[static_cast<std::size_t>(metric)] + value];
  }
  [[nodiscard]] Histogram& histogram(Metric metric) { return *histograms_[static_cast<std::size_t>(metric)]; }

  std::array<std::size_t, kMetrics> first_{};  // number of each metric's first series
  std::vector<std::atomic<std::int64_t>> numbers_;
  std::array<std::unique_ptr<Histogram>, kMetrics> histograms_;
  mutable std::mutex examples_;
};

}  // namespace catena
