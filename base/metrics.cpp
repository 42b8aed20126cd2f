#include "base/metrics.hpp"

#include <algorithm>

namespace catena {
namespace {

constexpr std::array<std::string_view, 2> kBegun{"submitted", "child"};
constexpr std::array<std::string_view, 3> kEnds{"succeeded", "failed", "cancelled"};
constexpr std::array<std::string_view, 4> kVisits{"completed", "failed", "skipped", "cancelled"};
constexpr std::array<std::string_view, 2> kOutcomes{"succeeded", "failed"};
constexpr std::array<std::string_view, 5> kAttempts{"succeeded", "failed", "lost", "cancelled", "postponed"};
constexpr std::array<std::string_view, 9> kControls{"cancel", "pause", "retry", "resolve", "skip", "amend", "signal", "approve", "reject"};
constexpr std::array<std::string_view, 3> kDurabilities{"sync", "async", "none"};
constexpr std::array<std::string_view, 2> kLives{"awake", "asleep"};
constexpr std::array<std::string_view, 4> kWorkers{"open", "cordoned", "draining", "lost"};
constexpr std::array<std::string_view, 3> kSpans{"exported", "refused", "left_out"};

constexpr std::array<std::string_view, 4> kStatusClasses{"2xx", "3xx", "4xx", "5xx"};
constexpr std::array<std::string_view, 4> kScheduledRuns{"begun", "skipped", "missed", "refused"};
constexpr std::array<std::string_view, 3> kDeliveries{"delivered", "failed", "given_up"};

constexpr std::int64_t kMilli = 1'000;
constexpr std::int64_t kSecond = 1'000'000;
constexpr std::array<std::int64_t, 17> kLongSpans{5 * kMilli,    10 * kMilli,     25 * kMilli,     50 * kMilli,      100 * kMilli,    250 * kMilli,
                                                  500 * kMilli,  kSecond,         5 * kSecond,     10 * kSecond,     30 * kSecond,    60 * kSecond,
                                                  300 * kSecond, 1'800 * kSecond, 3'600 * kSecond, 21'600 * kSecond, 86'400 * kSecond};
constexpr std::array<std::int64_t, 14> kShortSpans{50,          100,         250,         500,          kMilli,       2'500,   5 * kMilli,
                                                   10 * kMilli, 25 * kMilli, 50 * kMilli, 100 * kMilli, 250 * kMilli, kSecond, 5 * kSecond};

constexpr std::array<std::int64_t, 11> kRequestSpans{kMilli,       2 * kMilli,   5 * kMilli, 10 * kMilli, 25 * kMilli, 50 * kMilli,
                                                     100 * kMilli, 250 * kMilli, kSecond,    5 * kSecond, 30 * kSecond};

constexpr auto kCounter = MetricKind::counter;
constexpr auto kGauge = MetricKind::gauge;
constexpr auto kHistogram = MetricKind::histogram;

constexpr std::array<MetricInfo, kMetrics> kTable{{
    {Metric::chains_started, "catena_chains_started_total", kCounter, "", "Chains that began, by who began them", "by", kBegun},
    {Metric::chains_ended, "catena_chains_ended_total", kCounter, "", "Chains that ended, by how", "status", kEnds},
    {Metric::chains_quarantined, "catena_chains_quarantined_total", kCounter, "",
     "Chains that were set aside because the engine refused to advance them"},
    {Metric::chains_removed, "catena_chains_removed_total", kCounter, "",
     "Submitted chains that were taken out of the store, each with its descendants"},
    {Metric::chain_duration, "catena_chain_duration_seconds", kHistogram, "seconds", "Time from the start of a chain to its end", "", {}, kLongSpans},
    {Metric::steps_settled, "catena_steps_settled_total", kCounter, "", "Visits of steps that settled, by how", "status", kVisits},
    {Metric::step_duration,
     "catena_step_duration_seconds",
     kHistogram,
     "seconds",
     "Time from entering a step to its end, with waiting and retries",
     "",
     {},
     kLongSpans},
    {Metric::items_settled, "catena_items_settled_total", kCounter, "", "Items that got their outcome; a plain step has one", "outcome", kOutcomes},
    {Metric::attempts_granted, "catena_attempts_granted_total", kCounter, "", "Attempts that were granted to workers, child chains included"},
    {Metric::attempts_ended, "catena_attempts_ended_total", kCounter, "", "Attempts that ended, by how", "how", kAttempts},
    {Metric::attempts_in_doubt, "catena_attempts_in_doubt_total", kCounter, "",
     "Attempts of at_most_once steps that were lost and wait for a person"},
    {Metric::attempt_duration,
     "catena_attempt_duration_seconds",
     kHistogram,
     "seconds",
     "Time that attempts took at their worker; items of one report count with their mean",
     "",
     {},
     kLongSpans},
    {Metric::retries, "catena_retries_total", kCounter, "", "Attempts that are made again because one failed or asked to be postponed"},
    {Metric::controls, "catena_controls_total", kCounter, "", "What people told chains, by what it was", "control", kControls},
    {Metric::events, "catena_events_total", kCounter, "", "Events that were journaled"},
    {Metric::commits, "catena_commits_total", kCounter, "", "Writes of the store, by how durable they are; one holds what many chains decided",
     "durability", kDurabilities},
    {Metric::commit_bytes, "catena_commit_bytes_total", kCounter, "bytes", "Bytes of keys and values in those writes"},
    {Metric::commit_duration, "catena_commit_duration_seconds", kHistogram, "seconds", "Time that a write with sync took", "", {}, kShortSpans},
    {Metric::chains_live, "catena_chains_live", kGauge, "", "Chains that have begun and not ended, in memory or asleep", "state", kLives},
    {Metric::steps_waiting, "catena_steps_waiting", kGauge, "", "Visits of steps that want a slot and have none"},
    {Metric::workers, "catena_workers", kGauge, "", "Workers, by state; those that went away without leaving count as lost for an hour", "state",
     kWorkers},
    {Metric::workers_lost, "catena_workers_lost_total", kCounter, "", "Workers that went away without having left"},
    {Metric::slots, "catena_slots", kGauge, "", "Slots of all workers"},
    {Metric::slots_used, "catena_slots_used", kGauge, "", "Slots of all workers on which something runs"},
    {Metric::admission_closed, "catena_admission_closed", kGauge, "", "1 while no new chains are taken because memory is short"},
    {Metric::webhook_tries, "catena_webhook_tries_total", kCounter, "",
     "Tries to deliver a webhook, by how they ended: failed ones are made again, given_up was the last", "outcome", kDeliveries},
    {Metric::webhooks_pending, "catena_webhooks_pending", kGauge, "", "Deliveries of webhooks that wait for their next try or are under way"},
    {Metric::schedules, "catena_schedules", kGauge, "", "Schedules that the coordinator keeps, paused ones included"},
    {Metric::schedule_runs, "catena_schedule_runs_total", kCounter, "",
     "Runs of schedules, by what became of them: skipped because of one that went on, missed because nobody was there in time", "outcome",
     kScheduledRuns},
    {Metric::resident_bytes, "process_resident_memory_bytes", kGauge, "bytes", "Memory of the process"},
    {Metric::cpu_micros, "process_cpu_seconds_total", kCounter, "seconds", "Processor time of the process"},
    {Metric::open_descriptors, "process_open_fds", kGauge, "", "Open file descriptors of the process"},
    {Metric::data_bytes_free, "catena_data_free_bytes", kGauge, "bytes", "Free bytes on the disk of the data directory"},
    {Metric::trace_spans, "catena_trace_spans_total", kCounter, "",
     "Spans of traces, by what became of them; a trace that had too many left some out", "outcome", kSpans},
    {Metric::trace_failures, "catena_trace_failures_total", kCounter, "", "Requests to the receiver of traces that failed and are made again"},
    {Metric::trace_gaps, "catena_trace_gaps_total", kCounter, "",
     "Times that the export of traces came too late for what the store keeps, so that chains are missing"},
    {Metric::http_requests, "catena_http_requests_total", kCounter, "",
     "Answers of the HTTP interface, streams included, by the class of their status", "status", kStatusClasses},
    {Metric::http_duration,
     "catena_http_request_duration_seconds",
     kHistogram,
     "seconds",
     "Time from a request to its answer, in whole milliseconds; requests that wait for a chain, and streams, are not counted",
     "",
     {},
     kRequestSpans},
    {Metric::http_waiting, "catena_http_waiting", kGauge, "", "Requests that wait for a chain to end"},
    {Metric::http_streams, "catena_http_streams", kGauge, "", "Streams that are read"},
}};

}  // namespace

std::span<const MetricInfo> all_metrics() { return kTable; }
const MetricInfo& info_of(Metric metric) { return kTable[static_cast<std::size_t>(metric)]; }

Metrics::Metrics() {
  std::size_t series = 0;
  for (const auto& row : kTable) {
    const auto index = static_cast<std::size_t>(row.metric);
    first_[index] = series;
    if (row.kind != MetricKind::histogram) {
      series += std::max<std::size_t>(row.values.size(), 1);
      continue;
    }
    auto& histogram = *(histograms_[index] = std::make_unique<Histogram>());
    histogram.buckets = std::vector<std::atomic<std::uint64_t>>(row.bounds.size() + 1);
    histogram.exemplars.resize(row.bounds.size() + 1);
  }
  numbers_ = std::vector<std::atomic<std::int64_t>>(series);
}

namespace {

std::size_t bucket_of(const MetricInfo& row, std::int64_t micros) {
  return static_cast<std::size_t>(std::ranges::lower_bound(row.bounds, micros) - row.bounds.begin());
}

}  // namespace

void Metrics::observe(Metric metric, std::int64_t micros, std::uint64_t times) {
  micros = std::max<std::int64_t>(micros, 0);
  auto& into = histogram(metric);
  into.buckets[bucket_of(info_of(metric), micros)].fetch_add(times, std::memory_order_relaxed);
  into.sum.fetch_add(micros * static_cast<std::int64_t>(times), std::memory_order_relaxed);
}

void Metrics::observe_of(std::string_view chain, Metric metric, std::int64_t micros, UnixMillis at, const std::function<std::string()>& trace) {
  constexpr UnixMillis kRecent = 1'000;
  observe(metric, micros);
  micros = std::max<std::int64_t>(micros, 0);
  const std::lock_guard lock{examples_};
  auto& example = histogram(metric).exemplars[bucket_of(info_of(metric), micros)];
  if (example && at >= example->at && at - example->at < kRecent) return;
  example = Exemplar{std::string{chain}, trace ? trace() : std::string{}, micros, at};
}

std::vector<Sample> Metrics::copy() const {
  std::vector<Sample> samples;
  const std::lock_guard lock{examples_};
  for (const auto& row : kTable) {
    const auto index = static_cast<std::size_t>(row.metric);
    if (const auto& histogram = histograms_[index]; histogram) {
      auto& sample = samples.emplace_back(Sample{.metric = row.metric});
      for (const auto& bucket : histogram->buckets) sample.histogram.buckets.push_back(bucket.load(std::memory_order_relaxed));
      sample.histogram.exemplars = histogram->exemplars;
      sample.histogram.sum_micros = histogram->sum.load(std::memory_order_relaxed);
      continue;
    }
    for (std::size_t value = 0; value < std::max<std::size_t>(row.values.size(), 1); ++value)
      samples.push_back({.metric = row.metric, .value = value, .number = numbers_[first_[index] + value].load(std::memory_order_relaxed)});
  }
  return samples;
}

}  // namespace catena
