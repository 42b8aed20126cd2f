#pragma once
// What one attempt prints, cut into pieces: whole lines, without secrets, soon enough for somebody who watches. Of each stream the beginning is kept,
// up to half of the bound, and behind it the end. For one thread; times are handed in.
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "worker/executor.hpp"
#include "worker/log_buffer.hpp"
#include "worker/secrets.hpp"

namespace catena::worker {

class AttemptLog {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kGatherTime{500};

  /// `buffer` null: nothing is kept. Buffer, task and masks must outlive it.
  AttemptLog(LogBuffer* buffer, const Task& task, const Masks& masks);

  [[nodiscard]] bool keeps() const { return buffer_ != nullptr; }
  void print_error(std::string_view bytes, Time now);
  /// What is said to be a part of its output while it runs: in front of what it wrote to stdout.
  void print_output(std::string_view bytes, Time now);
  /// What it wrote to stdout, known when it has ended: kept if it fails. Else it is its response.
  void set_output(std::string output);
  /// When what was gathered is to be looked at; nothing: when more comes.
  [[nodiscard]] std::optional<Time> due() const { return due_; }
  void look(Time now);
  void end(bool failed);

 private:
  struct Stream {
    actors::LogStream kind;
    std::string pending = {};        // not looked at for secrets yet
    std::string end = {};            // of what lies behind the beginning, not sent yet
    std::uint64_t seen = 0;          // bytes without secrets
    bool begun = false;              // its beginning is full
    std::optional<Time> since = {};  // of what is pending
    Time sent = {};                  // when a part of the end was
  };
  void print(Stream& stream, std::string_view bytes, Time now);
  void look_at(Stream& stream, Time now);
  void release(Stream& stream, bool all, Time now);
  void split(Stream& stream, std::string_view text);
  void send_end(Stream& stream, Time now);
  void put(const Stream& stream, std::uint64_t offset, std::string_view text);

  LogBuffer* buffer_;
  const Task& task_;
  const Masks& masks_;
  bool later_ = false;  // only if it fails
  std::size_t half_ = 0;
  Stream error_{actors::LogStream::standard_error};
  Stream said_{actors::LogStream::standard_output};
  std::string output_;
  std::vector<actors::LogPiece> held_;
  std::optional<Time> due_;
};

/// How long to wait for a process that may print: not longer than until its log is to be looked at. `log` may be null.
[[nodiscard]] std::optional<std::chrono::nanoseconds> sooner_for(const AttemptLog* log, std::optional<std::chrono::nanoseconds> left);

}  // namespace catena::worker
