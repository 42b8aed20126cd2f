#pragma once
// Whether what the logs of a store hold follows from its tables without a gap. Each logged batch names the logged commit before it, so a
// log that is missing, empty or cut shows in the one behind it; and it names the last commit that was on disk, so that the logs say
// themselves what was promised. Pure: who reads the logs is rocks_logs.
#include <cstdint>
#include <optional>
#include <vector>

namespace catena::storage {

/// What a logged batch says of itself. It stands in the log only.
struct LogMark {
  std::uint64_t commit = 0;               // its number
  std::optional<std::uint64_t> previous;  // the logged commit before it; nothing in logs of versions that did not say so
  std::uint64_t durable = 0;              // the last commit that was on disk when the batch was written

  friend bool operator==(const LogMark&, const LogMark&) = default;
};

/// Batches of one log that follow from each other.
struct LogRun {
  std::uint64_t log = 0;  // the number in the name of the file
  LogMark first;
  std::uint64_t last = 0;
  std::uint64_t durable = 0;  // the highest of the marks
};

/// Adds a batch, in the order of the logs: to the last run, or as a new one.
void add_mark(std::vector<LogRun>& runs, std::uint64_t log, const LogMark& mark);

/// What is there without a gap, beginning with what the tables hold.
class CommitChain {
 public:
  explicit CommitChain(std::uint64_t in_tables) : in_tables_{in_tables}, end_{in_tables} {}
  /// Takes in the batches from `first` to the commit `last` when they follow; answers false when they stand behind a gap.
  [[nodiscard]] bool extend(const LogMark& first, std::uint64_t last);
  [[nodiscard]] std::uint64_t end() const { return end_; }

 private:
  [[nodiscard]] bool follows(const LogMark& first, std::uint64_t last) const;

  std::uint64_t in_tables_;
  std::uint64_t end_;
  std::uint64_t beyond_ = 0;  // the last commit that was found behind a gap
  bool named_ = true;         // the last batch named the one before it: what follows must name it
};

struct LogVerdict {
  std::uint64_t end = 0;                    // the last commit that is there without a gap
  std::uint64_t promised = 0;               // the last commit that a log knows to have been on disk
  std::optional<std::uint64_t> behind_gap;  // the first log with a commit beyond the end
  bool set_aside = false;                   // some batch did not follow: it must not be read again behind the commits that come
};

[[nodiscard]] LogVerdict verdict_on_logs(std::uint64_t in_tables, const std::vector<LogRun>& runs);

}  // namespace catena::storage
