#include "base/metrics.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "base/metric_text.hpp"

namespace catena::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool has_line(const std::string& text, const std::string& line) {
  const auto lines = lines_of(text);
  return std::ranges::find(lines, line) != lines.end();
}

}  // namespace

TEST_CASE("the table of metrics names each once, as its kind asks for, and lies in the order of the enumeration") {
  std::set<std::string_view> names;
  for (std::size_t index = 0; index < all_metrics().size(); ++index) {
    const auto& row = all_metrics()[index];
    CAPTURE(row.name);
    CHECK(static_cast<std::size_t>(row.metric) == index);
    CHECK(names.insert(row.name).second);
    CHECK(std::regex_match(std::string{row.name}, std::regex{"(catena|process)(_[a-z]+)+"}));
    CHECK(row.name.ends_with("_total") == (row.kind == MetricKind::counter));
    auto family = row.name;
    if (row.kind == MetricKind::counter) family.remove_suffix(6);
    if (!row.unit.empty()) CHECK(family.ends_with(row.unit));
    CHECK_FALSE(row.help.empty());
    CHECK_FALSE(row.help.ends_with("."));
    CHECK(row.label.empty() == row.values.empty());
    CHECK(row.bounds.empty() == (row.kind != MetricKind::histogram));
    CHECK(std::ranges::is_sorted(row.bounds));
  }
}

TEST_CASE("the number of series does not depend on what is counted") {
  Metrics metrics;
  const auto before = metrics.copy().size();
  for (int chain = 0; chain < 1000; ++chain) metrics.observe_of(fmt::format("chain-{}", chain), Metric::chain_duration, chain * 1000, 5);
  CHECK(metrics.copy().size() == before);
  const auto lines = lines_of(metric_text(metrics.copy(), MetricForm::prometheus, "1"));
  CHECK(std::ranges::count_if(lines, [](const auto& line) { return !line.starts_with("#"); }) < 600);
}

TEST_CASE("metrics are written in the text form of Prometheus") {
  Metrics metrics;
  metrics.add(Metric::chains_ended, 3, 1);
  metrics.set(Metric::slots, 16);
  metrics.set(Metric::cpu_micros, 1'500'000);
  metrics.observe(Metric::commit_duration, 50);
  metrics.observe(Metric::commit_duration, 51, 4);
  metrics.observe(Metric::commit_duration, 10'000'000);
  metrics.observe(Metric::commit_duration, -5);
  const auto text = metric_text(metrics.copy(), MetricForm::prometheus, R"(1 "x")");
  CHECK(has_line(text, R"(catena_build_info{version="1 \"x\""} 1)"));
  CHECK(has_line(text, "# HELP catena_chains_ended_total Chains that ended, by how."));
  CHECK(has_line(text, "# TYPE catena_chains_ended_total counter"));
  CHECK(has_line(text, R"(catena_chains_ended_total{status="succeeded"} 0)"));
  CHECK(has_line(text, R"(catena_chains_ended_total{status="failed"} 3)"));
  CHECK(has_line(text, "catena_slots 16"));
  CHECK(has_line(text, "process_cpu_seconds_total 1.5"));
  CHECK(has_line(text, R"(catena_commit_duration_seconds_bucket{le="5e-05"} 2)"));
  CHECK(has_line(text, R"(catena_commit_duration_seconds_bucket{le="0.0001"} 6)"));
  CHECK(has_line(text, R"(catena_commit_duration_seconds_bucket{le="5"} 6)"));
  CHECK(has_line(text, R"(catena_commit_duration_seconds_bucket{le="+Inf"} 7)"));
  CHECK(has_line(text, "catena_commit_duration_seconds_count 7"));
  CHECK(has_line(text, "catena_commit_duration_seconds_sum 10.000254"));
  CHECK(text.find("# EOF") == std::string::npos);
}

TEST_CASE("metrics are written as OpenMetrics, with an example of a chain beside its bucket") {
  Metrics metrics;
  metrics.observe_of("a\"b", Metric::chain_duration, 7'000, 1'700'000'000'500);
  const auto text = metric_text(metrics.copy(), MetricForm::open_metrics, "1");
  CHECK(has_line(text, "# TYPE catena_chains_ended counter"));
  CHECK(has_line(text, "# UNIT catena_chain_duration_seconds seconds"));
  CHECK(has_line(text, R"(catena_chain_duration_seconds_bucket{le="0.01"} 1 # {chain_id="a\"b"} 0.007 1700000000.5)"));
  CHECK(has_line(text, R"(catena_chain_duration_seconds_bucket{le="1.0"} 1)"));
  CHECK(text.ends_with("# EOF\n"));
}

TEST_CASE("the example of a bucket is a recent chain, and its trace is asked for when it becomes one") {
  Metrics metrics;
  const auto observe = [&](const char* chain, UnixMillis at) {
    bool asked = false;
    metrics.observe_of(chain, Metric::chain_duration, 7'000, at, [&] {
      asked = true;
      return std::string{"trace of "} + chain;
    });
    return asked;
  };
  const auto example = [&] {
    for (const auto& sample : metrics.copy()) {
      for (const auto& one : sample.histogram.exemplars) {
        if (one) return *one;
      }
    }
    return Exemplar{};
  };
  CHECK(observe("a", 10'000));
  CHECK_FALSE(observe("b", 10'999));
  CHECK(example().chain == "a");
  CHECK(example().trace == "trace of a");
  CHECK(observe("c", 11'000));
  CHECK(example().chain == "c");
  CHECK(observe("d", 9'000));  // the clock was put back
  CHECK(example().at == 9'000);
}

TEST_CASE("OpenMetrics is for who asks for it") {
  CHECK(metric_form_for("") == MetricForm::prometheus);
  CHECK(metric_form_for("text/plain;version=0.0.4;q=0.3,*/*;q=0.2") == MetricForm::prometheus);
  CHECK(metric_form_for("application/openmetrics-text;version=1.0.0,text/plain;q=0.5") == MetricForm::open_metrics);
}

TEST_CASE("what several threads count is all there") {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        metrics.add(Metric::events);
        metrics.observe(Metric::step_duration, i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto text = metric_text(metrics.copy(), MetricForm::prometheus, "1");
  CHECK(has_line(text, "catena_events_total 40000"));
  CHECK(has_line(text, "catena_step_duration_seconds_count 40000"));
}

TEST_CASE("the page of metrics has the table") {
  std::ifstream file{CATENA_SOURCE_DIR "/docs/metrics.md"};
  REQUIRE(file);
  const std::string page{std::istreambuf_iterator<char>{file}, {}};
  INFO("docs/metrics.md is to hold:\n" << metric_page());
  CHECK(page.find(metric_page()) != std::string::npos);
}

}  // namespace catena::test
