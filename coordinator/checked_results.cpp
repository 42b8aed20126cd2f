#include "coordinator/checked_results.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/cut_text.hpp"
#include "base/error.hpp"
#include "lang/document/json_text.hpp"

namespace catena::coordinator {

namespace {

void check_checkpoint(std::string& checkpoint) {
  if (checkpoint.empty()) return;
  auto said = checkpoint.size() <= actors::kCheckpointBytesMax ? lang::parse_json_text(checkpoint) : fail(Code::tool_output_invalid, "too large");
  checkpoint = said ? std::move(said->text) : std::string{};
}

void check_usage(std::map<std::string, std::int64_t>& usage) {
  std::erase_if(usage, [](const auto& entry) { return entry.first.size() > actors::kUsageNameBytesMax || entry.second < 0; });
  while (usage.size() > actors::kUsageNamesMax) usage.erase(std::prev(usage.end()));
}

}  // namespace

void check_note(actors::AttemptNote& note) {
  note.text = std::string{cut_text(note.text, actors::kProgressTextMax)};
  check_checkpoint(note.checkpoint);
  check_usage(note.usage);
}

void check_results(actors::WorkReport& report) {
  for (auto& result : report.results) {
    check_checkpoint(result.checkpoint);
    check_usage(result.usage);
    if (auto said = lang::keep_json_text(std::move(result.text))) {
      result.text = std::move(said->text);
    } else {
      result.ok = false;
      result.text = to_json_text(
          make_error(Code::tool_output_invalid, fmt::format("what the worker said of the attempt is not JSON: {}", said.error().message)));
    }
  }
}

}  // namespace catena::coordinator
