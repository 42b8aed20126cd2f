#pragma once
// Talking to a child process until it ends: feeding its stdin, reading stdout and stderr, watching the clock and the stop token.
// One poll loop, so neither side can wait for the other for ever.
#include <chrono>
#include <string>

#include "base/time.hpp"
#include "worker/attempt_log.hpp"
#include "worker/attempt_voice.hpp"
#include "worker/process.hpp"
#include "worker/stop.hpp"

namespace catena::worker {

struct ConversationLimits {
  std::size_t output_bytes_max = 0;
  std::size_t stderr_bytes_kept = 0;
  Millis timeout{0};  // 0: none
  Millis term_grace{0};
};

/// Why it ended; garbled: by what it said in its notes. All but `exited` mean that the group was killed for it.
enum class ConversationEnding { exited, timed_out, stopped, output_too_large, silent, garbled };

struct Conversation {
  ConversationEnding ending = ConversationEnding::exited;
  ExitStatus status;
  std::string output;
  std::string stderr_tail;  // bytes as they came
};

/// Runs to the end of the leader. What is left of its group then, or after term_grace, is killed: a background process that holds
/// stdout open delays nothing.
/// `log` null: what it prints to stderr is kept nowhere else. `voice` null: it has no notes.
[[nodiscard]] Conversation converse(ChildProcess child, const ConversationLimits& limits, const StopToken& stop, AttemptLog* log = nullptr,
                                    AttemptVoice* voice = nullptr);

}  // namespace catena::worker
