#pragma once
// A child process that is asked line by line: one line to its stdin, one from its stdout, and its stderr kept. One caller at a time.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "worker/attempt_log.hpp"
#include "worker/attempt_voice.hpp"
#include "worker/process.hpp"
#include "worker/secrets.hpp"
#include "worker/served_tools.hpp"
#include "worker/stop.hpp"
#include "worker/tail.hpp"
#include "worker/work_folder.hpp"

namespace catena::worker {

struct AskLimits {
  std::size_t line_bytes_max = 0;
  Millis timeout{0};  // 0: none
};

/// What came of asking. After all but `answered` the child is of no more use: end() it.
enum class Heard { answered, died, timed_out, stopped, line_too_large, silent, garbled };

class ServeChild {
 public:
  /// `folder` is its own, if it has one, and goes with it. `masks`: what is taken out of its stderr.
  ServeChild(ChildProcess process, std::size_t stderr_bytes_kept, std::optional<WorkFolder> folder = {}, Masks masks = {})
      : folder_{std::move(folder)}, masks_{std::move(masks)}, process_{std::move(process)}, errors_{stderr_bytes_kept} {}

  /// Writes the line (it ends in '\n') and waits for the one that comes back.
  /// `log` null: what it prints to stderr until then is kept nowhere else. `voice` hears the notifications that come before the answer; null:
  /// there are none to come.
  [[nodiscard]] Heard ask(std::string_view line, const AskLimits& limits, const StopToken& stop, AttemptLog* log = nullptr,
                          AttemptVoice* voice = nullptr);
  /// A line that wants no answer; what does not fit its stdin now is not sent.
  void tell(std::string_view line) { static_cast<void>(process_.write_some(line)); }
  /// The answer, without its end; until the next ask().
  [[nodiscard]] std::string_view answer() const { return std::string_view{heard_}.substr(0, answer_bytes_); }
  /// It lives and has said nothing unasked: it can be asked again.
  [[nodiscard]] bool is_ready() const;

  /// Asks the group to end, kills it after the grace.
  [[nodiscard]] ExitStatus end(Millis grace);
  [[nodiscard]] const Masks& masks() const { return masks_; }
  /// What it has said of its tools; nothing: nobody has asked.
  [[nodiscard]] std::optional<SaidOfTools>& said() { return said_; }
  /// What it wrote to stderr since it was last asked; bytes as they came, but for secrets.
  [[nodiscard]] std::string take_stderr();

  /// Ends them all: the end of their stdin tells them, and what is left after the grace is killed.
  static void end_all(std::vector<std::unique_ptr<ServeChild>> children, Millis grace);

 private:
  enum class Got { nothing, some, line, garbage };
  [[nodiscard]] Got read_output(std::size_t line_bytes_max, AttemptVoice* voice);
  [[nodiscard]] Got find_answer(std::size_t from, std::size_t line_bytes_max, AttemptVoice* voice);
  void read_error();
  [[nodiscard]] std::string_view read(int fd);

  std::optional<WorkFolder> folder_;  // goes last
  Masks masks_;
  ChildProcess process_;
  std::optional<SaidOfTools> said_;
  std::string heard_;
  std::size_t answer_bytes_ = 0;
  Tail errors_;
  AttemptLog* log_ = nullptr;  // of the call that goes on
  // not initialised: it is written before it is read
  std::array<char, 64UL << 10U> buffer_;
};

}  // namespace catena::worker
