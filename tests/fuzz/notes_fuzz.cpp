// Any text is a message of a tool or is refused with a reason, and what is passed on of it keeps its bounds.
#include "tests/fuzz/check.hpp"
#include "tests/fuzz/targets.hpp"
#include "worker/notes.hpp"

namespace catena::fuzz {

void fuzz_notes(std::string_view text) {
  worker::NoteKeeper keeper;
  std::int64_t now = 1'000;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    static_cast<void>(worker::is_notification(line));
    const auto note = worker::parse_note(line);
    if (!note) {
      check(note.error().code == Code::tool_output_invalid && !note.error().message.empty(), "a refusal says why", line);
      continue;
    }
    if (const auto* progress = std::get_if<worker::SaidProgress>(&*note)) keeper.add(*progress);
    if (const auto* checkpoint = std::get_if<worker::SaidCheckpoint>(&*note)) keeper.add(*checkpoint);
    if (const auto* usage = std::get_if<worker::SaidUsage>(&*note)) static_cast<void>(keeper.add(*usage));
    now += 100;
    if (const auto passed = keeper.take(now)) {
      check(passed->checkpoint.size() <= actors::kCheckpointBytesMax, "a checkpoint that is passed on is bounded", line);
      check(passed->text.size() <= actors::kProgressTextMax, "words that are passed on are bounded", line);
      check(passed->checkpoint.empty() || lang::parse_json_text(passed->checkpoint).has_value(), "a checkpoint that is passed on is JSON", line);
    }
  }
}

}  // namespace catena::fuzz
