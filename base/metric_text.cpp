#include "base/metric_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/cut_text.hpp"

namespace catena {
namespace {

constexpr std::string_view kBuildInfo = "catena_build_info";
constexpr double kMicros = 1e6;
constexpr std::size_t kExampleMax = 75;  // OpenMetrics allows 128 letters for all labels of an example, and a trace has 40

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? "\\n" : std::string{c};
  }
  return out;
}

std::string seconds(std::int64_t micros) { return fmt::format("{}", static_cast<double>(micros) / kMicros); }

std::string_view word(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter: return "counter";
    case MetricKind::gauge: return "gauge";
    case MetricKind::histogram: return "histogram";
  }
  return "unknown";
}

class Writer {
 public:
  explicit Writer(MetricForm form) : open_{form == MetricForm::open_metrics} {}

  void head(std::string_view name, MetricKind kind, std::string_view unit, std::string_view help) {
    // OpenMetrics names the family without the ending of its samples.
    if (open_ && kind == MetricKind::counter && name.ends_with("_total")) name.remove_suffix(6);
    text_ += fmt::format("# HELP {0} {1}.\n# TYPE {0} {2}\n", name, help, word(kind));
    if (open_ && !unit.empty()) text_ += fmt::format("# UNIT {} {}\n", name, unit);
  }

  void number(const MetricInfo& row, const Sample& sample) {
    const auto number = row.metric == Metric::cpu_micros ? seconds(sample.number) : std::to_string(sample.number);
    const auto label = row.label.empty() ? std::string{} : fmt::format("{{{}=\"{}\"}}", row.label, row.values[sample.value]);
    text_ += fmt::format("{}{} {}\n", row.name, label, number);
  }

  void histogram(const MetricInfo& row, const HistogramCopy& histogram) {
    std::uint64_t count = 0;
    for (std::size_t bucket = 0; bucket < histogram.buckets.size(); ++bucket) {
      count += histogram.buckets[bucket];
      const auto bound = bucket < row.bounds.size() ? seconds(row.bounds[bucket]) : std::string{"+Inf"};
      text_ +=
          fmt::format("{}_bucket{{le=\"{}\"}} {}", row.name, open_ && bound.find_first_of(".+") == std::string::npos ? bound + ".0" : bound, count);
      if (open_ && histogram.exemplars[bucket]) example(*histogram.exemplars[bucket]);
      text_ += '\n';
    }
    text_ += fmt::format("{0}_sum {1}\n{0}_count {2}\n", row.name, seconds(histogram.sum_micros), count);
  }

  void build_info(std::string_view version) {
    head(kBuildInfo, MetricKind::gauge, "", "1; its label is the version of the program");
    text_ += fmt::format("{}{{version=\"{}\"}} 1\n", kBuildInfo, escaped(version));
  }

  [[nodiscard]] std::string take() && { return std::move(text_) + (open_ ? "# EOF\n" : ""); }

 private:
  void example(const Exemplar& exemplar) {
    const auto trace = exemplar.trace.empty() ? std::string{} : fmt::format(",trace_id=\"{}\"", exemplar.trace);
    text_ += fmt::format(" # {{chain_id=\"{}\"{}}} {} {}", escaped(cut_text(exemplar.chain, kExampleMax)), trace, seconds(exemplar.micros),
                         static_cast<double>(exemplar.at) / 1e3);
  }

  bool open_;
  std::string text_;
};

}  // namespace

std::string_view media_type(MetricForm form) {
  return form == MetricForm::open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8" : "text/plain; version=0.0.4; charset=utf-8";
}

MetricForm metric_form_for(std::string_view accept) {
  return accept.find("application/openmetrics-text") == std::string_view::npos ? MetricForm::prometheus : MetricForm::open_metrics;
}

std::string metric_text(std::span<const Sample> samples, MetricForm form, std::string_view version) {
  Writer writer{form};
  writer.build_info(version);
  const MetricInfo* last = nullptr;
  for (const auto& sample : samples) {
    const auto& row = info_of(sample.metric);
    if (last != &row) writer.head(row.name, row.kind, row.unit, row.help);
    last = &row;
    row.kind == MetricKind::histogram ? writer.histogram(row, sample.histogram) : writer.number(row, sample);
  }
  return std::move(writer).take();
}

std::string metric_page() {
  std::string text = "| metric | kind | label | what it says |\n|---|---|---|---|\n";
  text += fmt::format("| `{}` | gauge | `version` | 1; its label is the version of the program |\n", kBuildInfo);
  for (const auto& row : all_metrics()) {
    const auto label = row.label.empty() ? std::string{} : fmt::format("`{}`: {}", row.label, fmt::join(row.values, " "));
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, word(row.kind), label, row.help);
  }
  return text;
}

}  // namespace catena
