#include "storage/commit_chain.hpp"

#include <algorithm>

namespace catena::storage {

void add_mark(std::vector<LogRun>& runs, std::uint64_t log, const LogMark& mark) {
  const bool same_log = !runs.empty() && runs.back().log == log;
  const bool follows = same_log && (mark.previous ? runs.back().first.previous && *mark.previous == runs.back().last : !runs.back().first.previous);
  if (follows) {
    runs.back().last = mark.commit;
    runs.back().durable = std::max(runs.back().durable, mark.durable);
  } else {
    runs.push_back({log, mark, mark.commit, mark.durable});
  }
}

bool CommitChain::extend(const LogMark& first, std::uint64_t last) {
  if (last <= in_tables_) return true;
  if (first.commit > in_tables_ && !follows(first, last)) {
    beyond_ = std::max(beyond_, last);
    return false;
  }
  end_ = last;
  named_ = first.previous.has_value();
  return true;
}

bool CommitChain::follows(const LogMark& first, std::uint64_t last) const {
  // Batches that were in no log lie between `previous` and the commit when the tables hold them.
  if (first.previous && named_) return last > end_ && (*first.previous == end_ || *first.previous <= in_tables_);
  // Where a batch names none before it, numbers that were in no log look like lost ones: only a gap that is known is held against it.
  const bool behind_gap = beyond_ > end_ && first.commit > end_ + 1;
  return !behind_gap;
}

LogVerdict verdict_on_logs(std::uint64_t in_tables, const std::vector<LogRun>& runs) {
  CommitChain chain{in_tables};
  LogVerdict verdict;
  std::vector<const LogRun*> aside;
  for (const auto& run : runs) {
    verdict.promised = std::max(verdict.promised, run.durable);
    if (!chain.extend(run.first, run.last)) aside.push_back(&run);
  }
  verdict.end = chain.end();
  verdict.set_aside = !aside.empty();
  // What is left behind the damaged end of a log, and was written again by the opening after it, is no sign of a gap.
  const auto beyond = std::ranges::find_if(aside, [&](const LogRun* run) { return run->last > verdict.end; });
  if (beyond != aside.end()) verdict.behind_gap = (*beyond)->log;
  return verdict;
}

}  // namespace catena::storage
