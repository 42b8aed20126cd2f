#include "coordinator/checked_results.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "lang/document/json_text.hpp"

namespace catena::coordinator {

void check_results(actors::WorkReport& report) {
  for (auto& result : report.results) {
    if (auto said = lang::parse_json_text(result.text)) {
      result.text = std::move(said->text);
    } else {
      result.ok = false;
      result.text = to_json_text(
          make_error(Code::tool_output_invalid, fmt::format("what the worker said of the attempt is not JSON: {}", said.error().message)));
    }
  }
}

}  // namespace catena::coordinator
