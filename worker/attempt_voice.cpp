#include "worker/attempt_voice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/overloads.hpp"

namespace catena::worker {
namespace {

std::int64_t millis_of(AttemptVoice::Time time) { return std::chrono::duration_cast<Millis>(time.time_since_epoch()).count(); }

/// A line of the log, whatever breaks the text has at its end.
std::string log_line(const SaidLog& said) {
  auto text = said.level.empty() ? said.text : fmt::format("[{}] {}", said.level, said.text);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace

bool AttemptVoice::hear(std::string_view line, Time now) {
  if (garbage_) return false;
  heard_at_ = now;
  auto note = parse_note(line);
  const auto taken = note ? take(std::move(*note), now) : fail(std::move(note).error());
  if (!taken) garbage_ = make_error(Code::tool_output_invalid, fmt::format("{} sent a message that {}", describe(task_), taken.error().message));
  look(now);
  return taken.has_value();
}

bool AttemptVoice::read(std::string_view bytes, Time now) {
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    pending_ += bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    const auto line = std::exchange(pending_, {});
    if (line.find_first_not_of(" \t\r") != std::string::npos && !hear(line, now)) return false;
  }
  pending_ += bytes;
  return pending_.size() <= kNoteBytesMax || hear(pending_, now);
}

bool AttemptVoice::end_of_lines(Time now) {
  const auto line = std::exchange(pending_, {});
  return line.find_first_not_of(" \t\r") == std::string::npos || hear(line, now);
}

Result<void> AttemptVoice::take(SaidNote note, Time now) {
  return std::visit(Overloads{
                        [&](SaidProgress& said) -> Result<void> {
                          masks_.clean(said.text);
                          keeper_.add(said);
                          return {};
                        },
                        [&](SaidCheckpoint& said) -> Result<void> {
                          masks_.clean(said.state.text);
                          auto still = lang::parse_json_text(said.state.text);
                          if (!still) return fail(Code::tool_output_invalid, "is a checkpoint with a secret in it");
                          keeper_.add(SaidCheckpoint{std::move(*still)});
                          return {};
                        },
                        [&](const SaidLog& said) -> Result<void> {
                          log_.print_error(log_line(said), now);
                          return {};
                        },
                        [&](const SaidChunk& said) -> Result<void> {
                          log_.print_output(said.text, now);
                          return {};
                        },
                        [&](const SaidUsage& said) { return keeper_.add(said); },
                        [&](const SaidContinue& said) -> Result<void> {
                          goes_on_ = said;
                          return {};
                        },
                    },
                    note);
}

std::optional<AttemptVoice::Time> AttemptVoice::due() const {
  std::optional<Time> due;
  if (const auto note = notify_ && task_.order ? keeper_.due() : std::nullopt) due = Time{Millis{*note}};
  if (task_.heartbeat_timeout.count() > 0) due = std::min(due.value_or(Time::max()), silent_at());
  return due;
}

void AttemptVoice::look(Time now) {
  if (!notify_ || !task_.order) return;
  auto note = keeper_.take(millis_of(now));
  if (!note) return;
  note->chain = task_.order->chain;
  note->grant = task_.order->grant;
  note->item = task_.item;
  note->attempt = task_.attempt;
  notify_(std::move(*note));
}

Outcome AttemptVoice::end(Outcome outcome) const {
  outcome.response = response_of(std::move(outcome.response));
  outcome.usage = keeper_.usage();
  if (!outcome.response) outcome.checkpoint = keeper_.checkpoint();
  return outcome;
}

Result<lang::JsonText> AttemptVoice::response_of(Result<lang::JsonText> response) const {
  if (!response) return response;
  if (garbage_) return fail(*garbage_);
  if (!goes_on_) return response;
  if (keeper_.checkpoint().empty() || keeper_.checkpoint() == task_.resume_from) {
    return fail(Code::tool_output_invalid,
                fmt::format("{} asks to go on, but has sent no checkpoint other than the one that it began with", describe(task_)));
  }
  auto later = make_error(Code::postponed, fmt::format("{} asks to go on from its checkpoint", describe(task_)));
  later.details = Json{{"retry_after_ms", goes_on_->after.count()}};
  return fail(std::move(later));
}

std::optional<std::chrono::nanoseconds> sooner_for(const AttemptVoice* voice, std::optional<std::chrono::nanoseconds> left) {
  const auto due = voice == nullptr ? std::nullopt : voice->due();
  if (!due) return left;
  const auto soon = std::max<std::chrono::nanoseconds>(*due - std::chrono::steady_clock::now(), std::chrono::nanoseconds{0});
  return std::min(left.value_or(soon), soon);
}

Error silent_error(const Task& task) {
  return make_error(Code::tool_timeout, fmt::format("{} was ended because it sent no message for {} (heartbeat_timeout)", describe(task),
                                                    to_string(task.heartbeat_timeout)));
}

}  // namespace catena::worker
