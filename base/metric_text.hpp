#pragma once
// Metrics as monitoring systems read them: the text form of Prometheus (0.0.4), and OpenMetrics 1.0, which has examples of chains beside the
// buckets of histograms. Pure.
#include <span>
#include <string>
#include <string_view>

#include "base/metrics.hpp"

namespace catena {

enum class MetricForm : std::uint8_t { prometheus, open_metrics };

/// The media type that goes with the form.
[[nodiscard]] std::string_view media_type(MetricForm form);
/// The best form that an HTTP `Accept` asks for: OpenMetrics only where it is named.
[[nodiscard]] MetricForm metric_form_for(std::string_view accept);

/// `version`: of the program, the label of `catena_build_info`.
[[nodiscard]] std::string metric_text(std::span<const Sample> samples, MetricForm form, std::string_view version);

/// The table of docs/metrics.md.
[[nodiscard]] std::string metric_page();

}  // namespace catena
