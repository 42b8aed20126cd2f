#include "worker/attempt_log.hpp"

#include <algorithm>
#include <utility>

#include "base/cut_text.hpp"
#include "worker/utf8.hpp"

namespace catena::worker {
namespace {

/// The beginning of a text, at most so many bytes: whole lines where it has any, else whole characters.
std::string_view log_beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto line = text.substr(0, most).rfind('\n');
  if (line != std::string_view::npos) return text.substr(0, line + 1);
  const auto whole = cut_text(text, most);
  return whole.empty() ? text.substr(0, most) : whole;
}

/// The end of a text, at most so many bytes, from the begin of a line where one is near.
std::string_view log_end(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  text.remove_prefix(text.size() - most);
  const auto line = text.find('\n');
  if (line != std::string_view::npos && line < most / 4) text.remove_prefix(line + 1);
  return text;
}

}  // namespace

AttemptLog::AttemptLog(LogBuffer* buffer, const Task& task, const Masks& masks) : buffer_{buffer}, task_{task}, masks_{masks} {
  if (buffer_ == nullptr || !task.order || buffer_->keep() == actors::LogKeep::none || buffer_->attempt_max() == 0) {
    buffer_ = nullptr;
    return;
  }
  later_ = buffer_->keep() == actors::LogKeep::failed;
  half_ = static_cast<std::size_t>(buffer_->attempt_max() / 2);
}

void AttemptLog::print_error(std::string_view bytes, Time now) { print(error_, bytes, now); }
void AttemptLog::print_output(std::string_view bytes, Time now) { print(said_, bytes, now); }

void AttemptLog::print(Stream& stream, std::string_view bytes, Time now) {
  if (buffer_ == nullptr || bytes.empty()) return;
  stream.pending += bytes;
  if (!stream.since) stream.since = now;
  look(now);
}

void AttemptLog::set_output(std::string output) {
  if (buffer_ != nullptr) output_ = std::move(output);
}

void AttemptLog::look(Time now) {
  if (buffer_ == nullptr) return;
  due_.reset();
  look_at(error_, now);
  look_at(said_, now);
}

void AttemptLog::look_at(Stream& stream, Time now) {
  if (stream.pending.size() >= actors::kLogPieceBytes || (stream.since && now >= *stream.since + kGatherTime)) release(stream, /*all=*/false, now);
  if (!later_ && !stream.end.empty() && now >= stream.sent + kGatherTime) send_end(stream, now);
  if (stream.since) due_ = std::min(due_.value_or(Time::max()), *stream.since + kGatherTime);
  if (!later_ && !stream.end.empty()) due_ = std::min(due_.value_or(Time::max()), stream.sent + kGatherTime);
}

void AttemptLog::end(bool failed) {
  if (buffer_ == nullptr || (later_ && !failed)) return;
  release(error_, /*all=*/true, {});
  send_end(error_, {});
  if (failed && !is_blank(output_)) said_.pending += output_;
  release(said_, /*all=*/true, {});
  send_end(said_, {});
  for (auto& piece : std::exchange(held_, {})) buffer_->offer(std::move(piece));
  due_.reset();
}

/// Lines that are whole, or so long that nobody waits for their ends; but never a part of a secret.
void AttemptLog::release(Stream& stream, bool all, Time now) {
  auto whole = all ? stream.pending.size() : stream.pending.rfind('\n') + 1;
  if (whole == 0 && stream.pending.size() >= actors::kLogPieceBytes) whole = stream.pending.size();
  if (!all) whole -= masks_.part_at_end(std::string_view{stream.pending}.substr(0, whole));
  auto text = whole == stream.pending.size() ? std::exchange(stream.pending, {}) : stream.pending.substr(0, whole);
  stream.pending.erase(0, std::min(whole, stream.pending.size()));
  stream.since = stream.pending.empty() ? std::nullopt : std::optional{now};
  if (all) {
    masks_.clean_beginning(text);
  } else {
    masks_.clean(text);
  }
  split(stream, text);
}

/// To the beginning what has room there, the rest to the end.
void AttemptLog::split(Stream& stream, std::string_view text) {
  if (!stream.begun) {
    const auto first = log_beginning(text, half_ - static_cast<std::size_t>(stream.seen));
    put(stream, stream.seen, first);
    stream.seen += first.size();
    text.remove_prefix(first.size());
    stream.begun = stream.seen >= half_ || !text.empty();
    if (text.empty()) return;
  }
  stream.seen += text.size();
  stream.end += log_end(text, half_);
  if (stream.end.size() > half_) stream.end = log_end(stream.end, half_);
}

void AttemptLog::send_end(Stream& stream, Time now) {
  stream.sent = now;
  put(stream, stream.seen - stream.end.size(), stream.end);
  stream.end.clear();
}

void AttemptLog::put(const Stream& stream, std::uint64_t offset, std::string_view text) {
  while (!text.empty()) {
    const auto piece = log_beginning(text, actors::kLogPieceBytes);
    actors::LogPiece made;
    made.chain = task_.order->chain;
    made.grant = task_.order->grant;
    made.step = task_.order->step;
    made.visit = task_.order->visit;
    made.item = task_.item;
    made.attempt = task_.attempt;
    made.stream = stream.kind;
    made.offset = offset;
    made.text = piece;
    offset += piece.size();
    text.remove_prefix(piece.size());
    if (later_) {
      held_.push_back(std::move(made));
    } else {
      buffer_->offer(std::move(made));
    }
  }
}

std::optional<std::chrono::nanoseconds> sooner_for(const AttemptLog* log, std::optional<std::chrono::nanoseconds> left) {
  if (log == nullptr || !log->due()) return left;
  const auto soon = std::max<std::chrono::nanoseconds>(*log->due() - std::chrono::steady_clock::now(), std::chrono::nanoseconds{0});
  return std::min(left.value_or(soon), soon);
}

}  // namespace catena::worker
