#pragma once
// The page of one chain as one file: the report of the web page, with the answers in it that the page would ask a coordinator for.
#include <string>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "client/questions.hpp"

namespace catena::cli {

/// Answers by path. A list is under its path without a query, whole, or as far as a report goes; `next` then says that there is more.
[[nodiscard]] Result<Json> report_answers(client::Questions& questions, const Clock& clock, const ChainId& chain);

/// The page with the report in it. No text of a value can end the element that holds it.
[[nodiscard]] std::string report_html(std::string page, const Json& report);

}  // namespace catena::cli
