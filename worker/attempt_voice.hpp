#pragma once
// Hears what one attempt says of itself while it runs, and passes it on at its pace: notes to the worker's node, lines and chunks to the attempt's
// log. Knows as well when an attempt that is to say something now and then has been silent for too long. For one thread; times are handed in.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "worker/attempt_log.hpp"
#include "worker/executor.hpp"
#include "worker/notes.hpp"
#include "worker/secrets.hpp"

namespace catena::worker {

class AttemptVoice {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// `notify` null: what is said is passed on with the outcome only. All must outlive it.
  AttemptVoice(const Notify& notify, const Task& task, const Masks& masks, AttemptLog& log, Time now)
      : notify_{notify}, task_{task}, masks_{masks}, log_{log}, heard_at_{now} {}

  /// One message. False: it is garbage, as is all that follows, and the attempt is to be ended.
  [[nodiscard]] bool hear(std::string_view line, Time now);
  /// The same of bytes, whose lines are messages.
  [[nodiscard]] bool read(std::string_view bytes, Time now);
  /// Nothing follows: what has no line break yet is a message as well.
  [[nodiscard]] bool end_of_lines(Time now);

  /// When look() is to be called, or the attempt has been silent for too long; nothing: not before it says something.
  [[nodiscard]] std::optional<Time> due() const;
  void look(Time now);
  [[nodiscard]] bool silent(Time now) const { return task_.heartbeat_timeout.count() > 0 && now >= silent_at(); }

  /// What was wrong with what it said; of one that said nothing wrong: an internal error.
  [[nodiscard]] Error garbage() const { return garbage_.value_or(make_error(Code::internal, "nothing was wrong with what it said")); }
  /// With what it said: what it has used; of an attempt that did not succeed its newest checkpoint. One that asked to go on from that has not failed.
  [[nodiscard]] Outcome end(Outcome outcome) const;

 private:
  [[nodiscard]] Result<void> take(SaidNote note, Time now);
  [[nodiscard]] Result<lang::JsonText> response_of(Result<lang::JsonText> response) const;
  [[nodiscard]] Time silent_at() const { return heard_at_ + std::min(task_.heartbeat_timeout, kHeartbeatMost); }

  static constexpr Millis kHeartbeatMost = std::chrono::hours{24 * 365};

  const Notify& notify_;
  const Task& task_;
  const Masks& masks_;
  AttemptLog& log_;
  Time heard_at_;
  std::string pending_;  // the beginning of a line
  NoteKeeper keeper_;
  std::optional<SaidContinue> goes_on_;
  std::optional<Error> garbage_;
};

/// How long to wait for a process that may say something. `voice` may be null.
[[nodiscard]] std::optional<std::chrono::nanoseconds> sooner_for(const AttemptVoice* voice, std::optional<std::chrono::nanoseconds> left);

/// An attempt that was ended because it was silent.
[[nodiscard]] Error silent_error(const Task& task);

}  // namespace catena::worker
