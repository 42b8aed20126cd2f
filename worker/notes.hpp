#pragma once
// What a tool may say of itself while it runs: one JSON object a message, on descriptor 3 of an exec: program or as a notification of a serve: child.
// Reading one and saying when what was said may go on are pure: no descriptors, times are handed in.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "actors/note_messages.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "lang/document/json_text.hpp"

namespace catena::worker {

/// Of one message with all that is around what it says.
inline constexpr std::size_t kNoteBytesMax = actors::kCheckpointBytesMax + 4096;

/// How far it is; what is not given is not known any more.
struct SaidProgress {
  std::int64_t done = -1;
  std::int64_t of = -1;
  std::string text;
};
/// From where another attempt can go on.
struct SaidCheckpoint {
  lang::JsonText state;
};
/// A line of its log.
struct SaidLog {
  std::string level;  // empty: none
  std::string text;
};
/// A piece of what it makes, for who watches.
struct SaidChunk {
  std::string text;
};
/// What it has used since it last said so.
struct SaidUsage {
  std::map<std::string, std::int64_t> amounts;
};
/// The attempt is about to end, and another is to go on from its newest checkpoint, after so long.
struct SaidContinue {
  Millis after{0};
};
using SaidNote = std::variant<SaidProgress, SaidCheckpoint, SaidLog, SaidChunk, SaidUsage, SaidContinue>;

/// It is meant as a notification: an object with a method and without an id. Anything else is an answer, or garbage.
[[nodiscard]] bool is_notification(std::string_view line);
/// Error: tool_output_invalid, with what is wrong, in words that follow "it sent a message that".
[[nodiscard]] Result<SaidNote> parse_note(std::string_view line);

/// What an attempt has said, and when it may be passed on: each kind not more often than its pause, the newest in place of those before it. Pure.
class NoteKeeper {
 public:
  static constexpr Millis kProgressPause{500};
  static constexpr Millis kCheckpointPause{1'000};

  void add(const SaidProgress& progress);
  void add(const SaidCheckpoint& checkpoint);
  /// Error: tool_output_invalid, more names than there may be, or a sum that is too large.
  [[nodiscard]] Result<void> add(const SaidUsage& usage);

  /// When something of it may be passed on, by a clock that counts milliseconds; nothing: there is nothing new.
  [[nodiscard]] std::optional<std::int64_t> due() const;
  /// What may be passed on at that time.
  [[nodiscard]] std::optional<actors::AttemptNote> take(std::int64_t now);

  /// The newest; empty: it has said none.
  [[nodiscard]] const std::string& checkpoint() const { return checkpoint_; }
  [[nodiscard]] const std::map<std::string, std::int64_t>& usage() const { return usage_; }

 private:
  /// Nothing was sent before: what comes first need not wait.
  struct Pace {
    std::optional<std::int64_t> sent;
    bool waits = false;
    [[nodiscard]] std::optional<std::int64_t> due(Millis pause) const {
      if (!waits) return std::nullopt;
      return sent ? *sent + pause.count() : 0;
    }
  };
  SaidProgress progress_;
  std::map<std::string, std::int64_t> usage_;
  std::string checkpoint_;
  Pace progress_pace_;
  Pace checkpoint_pace_;
};

}  // namespace catena::worker
