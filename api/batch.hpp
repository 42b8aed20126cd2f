#pragma once
// Submissions that come as lines, and what becomes of each: pure. Which may be sent, which have to wait for another, and the answer.
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages.hpp"
#include "api/problem.hpp"
#include "api/submission.hpp"
#include "base/json.hpp"

namespace catena::api {

/// A line that is not blank.
struct NumberedLine {
  std::size_t number = 0;  // in the text, from 1
  std::string_view text = {};
};
/// Problem: request_too_large where there are more than limits::kBatchLinesMax; request_invalid where there is none.
[[nodiscard]] Outcome<std::vector<NumberedLine>> batch_lines(std::string_view text);

/// What a line has come to.
struct BatchLine {
  std::size_t number = 0;
  std::optional<ReadSubmission> read = {};  // until it is sent
  std::optional<Problem> problem = {};
  ChainId chain = {};             // that runs
  bool submitted_before = false;  // it is one that an earlier submission with the same key began
};
/// The members are those of a single submission, and `idempotency_key`.
[[nodiscard]] BatchLine read_batch_line(const NumberedLine& line, const SubmissionDefaults& defaults, const Shelf& shelf, PinnedBook& book);

struct BatchLimits {
  std::size_t lines = 1024;                 // on their way at once
  std::size_t program_bytes = 64UL << 20U;  // of those; one alone may have more
};

/// Answers name chains, so no two lines of one id are on their way at the same time.
class Batch {
 public:
  explicit Batch(BatchLimits limits = {}) : limits_{limits} {}

  void add(BatchLine line);
  /// The next one to be sent. Nothing: as many are on their way as may be, or the others wait for one of those, or all are sent.
  [[nodiscard]] std::optional<actors::Submission> next();
  /// What became of one that was sent. One that is not on its way is none of these.
  void accept(const actors::Accepted& accepted);
  void refuse(const ChainId& chain, Error error);
  /// All that has not come to an end comes to this one.
  void give_up(const Error& error);
  [[nodiscard]] bool done() const { return ahead_ == lines_.size() && ready_.empty() && sent_.empty(); }
  [[nodiscard]] const std::vector<BatchLine>& lines() const { return lines_; }

 private:
  struct Sent {
    std::size_t line = 0;
    std::size_t program_bytes = 0;
    std::vector<std::size_t> behind = {};  // lines of the same id
  };
  /// Of lines that are not sent, the first that nothing stands before.
  [[nodiscard]] std::optional<std::size_t> find_next();
  BatchLine* settle(const ChainId& chain);

  BatchLimits limits_;
  std::vector<BatchLine> lines_;
  std::size_t ahead_ = 0;          // lines from here on were not looked at
  std::deque<std::size_t> ready_;  // waited for another, which is settled
  std::map<ChainId, Sent> sent_;
  std::size_t program_bytes_ = 0;
};

/// What a line is answered with. `status` is that of its chain; empty: it is left out.
[[nodiscard]] Json batch_record(const BatchLine& line, std::string_view status);

}  // namespace catena::api
