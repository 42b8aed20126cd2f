#include "storage/commit_chain.hpp"

#include <catch2/catch.hpp>

namespace catena::storage::test {
namespace {

/// One batch after another, as a store writes them that syncs each.
class Logs {
 public:
  explicit Logs(std::uint64_t end = 0) : last_{end} {}

  Logs& open_log(std::uint64_t log) {
    log_ = log;
    return *this;
  }
  Logs& write(std::uint64_t count) {
    for (; count > 0; --count) {
      marks_.emplace_back(log_, LogMark{last_ + 1, last_, last_});
      ++last_;
    }
    return *this;
  }
  /// A commit that stands in no log.
  Logs& write_unlogged(std::uint64_t count) {
    unlogged_ += count;
    return *this;
  }
  Logs& write_behind_unlogged() {
    marks_.emplace_back(log_, LogMark{last_ + unlogged_ + 1, last_, last_});
    last_ += unlogged_ + 1;
    unlogged_ = 0;
    return *this;
  }
  Logs& lose_log(std::uint64_t log) {
    std::erase_if(marks_, [&](const auto& mark) { return mark.first == log; });
    return *this;
  }
  Logs& lose_commit(std::uint64_t commit) {
    std::erase_if(marks_, [&](const auto& mark) { return mark.second.commit == commit; });
    return *this;
  }
  [[nodiscard]] std::vector<LogRun> runs() const {
    std::vector<LogRun> runs;
    for (const auto& [log, mark] : marks_) add_mark(runs, log, mark);
    return runs;
  }

 private:
  std::vector<std::pair<std::uint64_t, LogMark>> marks_;
  std::uint64_t log_ = 1;
  std::uint64_t last_;
  std::uint64_t unlogged_ = 0;
};

}  // namespace

TEST_CASE("logs that follow from each other are there to their end", "[commit_chain]") {
  const auto runs = Logs{}.open_log(4).write(10).open_log(7).write(1).open_log(9).open_log(12).write(5).runs();
  CHECK(runs.size() == 3);  // one a log; an empty log has none
  const auto verdict = verdict_on_logs(0, runs);
  CHECK(verdict.end == 16);
  CHECK(verdict.promised == 15);
  CHECK_FALSE(verdict.behind_gap.has_value());
  CHECK_FALSE(verdict.set_aside);
}

TEST_CASE("a log that is lost is seen in the one behind it, wherever it was", "[commit_chain]") {
  Logs logs;
  for (const std::uint64_t log : {4U, 7U, 9U, 12U}) logs.open_log(log).write(10);
  for (const std::uint64_t lost : {4U, 7U, 9U}) {
    const auto verdict = verdict_on_logs(0, Logs{logs}.lose_log(lost).runs());
    CHECK(verdict.end == (lost == 4 ? 0U : lost == 7 ? 10U : 20U));
    CHECK(verdict.promised == 39);
    CHECK(verdict.behind_gap == (lost == 4 ? 7U : lost == 7 ? 9U : 12U));
  }
  // Nothing in the logs says that there was another; the anchor does.
  const auto verdict = verdict_on_logs(0, Logs{logs}.lose_log(12).runs());
  CHECK(verdict.end == 30);
  CHECK(verdict.promised == 29);
  CHECK_FALSE(verdict.behind_gap.has_value());
}

TEST_CASE("a single batch that is lost is seen in the next", "[commit_chain]") {
  for (std::uint64_t lost = 1; lost < 20; ++lost) {
    const auto verdict = verdict_on_logs(0, Logs{}.open_log(4).write(10).open_log(5).write(10).lose_commit(lost).runs());
    CHECK(verdict.end == lost - 1);
    CHECK(verdict.promised == 19);
  }
}

TEST_CASE("what the tables hold is not missed in the logs", "[commit_chain]") {
  auto logs = Logs{}.open_log(4).write(10).open_log(5).write(10).open_log(6).write(10);
  CHECK(verdict_on_logs(10, Logs{logs}.lose_log(4).runs()).end == 30);
  CHECK(verdict_on_logs(15, Logs{logs}.lose_log(4).runs()).end == 30);
  CHECK(verdict_on_logs(20, Logs{logs}.lose_log(4).lose_log(5).runs()).end == 30);
  CHECK(verdict_on_logs(30, logs.runs()).end == 30);
  CHECK(verdict_on_logs(40, logs.runs()).end == 40);
  CHECK(verdict_on_logs(40, {}).end == 40);
  const auto missed = verdict_on_logs(19, Logs{logs}.lose_log(4).lose_log(5).runs());
  CHECK(missed.end == 19);
  CHECK(missed.promised == 29);
  CHECK(missed.behind_gap == 6);
}

TEST_CASE("commits that were in no log are no gap, and hide none", "[commit_chain]") {
  auto logs = Logs{}.open_log(4).write(5).write_unlogged(3).write_behind_unlogged().open_log(5).write_unlogged(2).write_behind_unlogged();
  CHECK(verdict_on_logs(0, logs.runs()).end == 12);
  CHECK(verdict_on_logs(0, Logs{logs}.lose_commit(9).runs()).end == 5);
  // A table was written while the last logged commit was number 5.
  CHECK(verdict_on_logs(7, Logs{logs}.lose_log(4).open_log(6).runs()).end == 7);
  CHECK(verdict_on_logs(9, Logs{logs}.lose_log(4).runs()).end == 12);
}

TEST_CASE("an unsynced end that the power took is no loss, also when something behind it stayed", "[commit_chain]") {
  std::vector<LogRun> runs;
  add_mark(runs, 4, {1, 0, 0});
  add_mark(runs, 4, {2, 1, 1});
  add_mark(runs, 4, {3, 2, 2});
  // 4 was not synced and is gone, 5 was not synced and is there.
  add_mark(runs, 5, {5, 4, 3});
  const auto verdict = verdict_on_logs(0, runs);
  CHECK(verdict.end == 3);
  CHECK(verdict.promised == 3);
  CHECK(verdict.set_aside);

  SECTION("what the next opening writes follows from what it found") {
    add_mark(runs, 6, {4, 3, 3});
    add_mark(runs, 6, {5, 4, 4});
    add_mark(runs, 6, {6, 5, 5});
    const auto later = verdict_on_logs(0, runs);
    CHECK(later.end == 6);
    CHECK(later.promised == 5);
    CHECK_FALSE(later.behind_gap.has_value());
  }
}

TEST_CASE("logs of versions that did not name the commit before are taken as they are", "[commit_chain]") {
  std::vector<LogRun> runs;
  add_mark(runs, 4, {1, std::nullopt, 0});
  add_mark(runs, 4, {2, std::nullopt, 0});
  add_mark(runs, 5, {7, std::nullopt, 0});
  CHECK(runs.size() == 2);
  CHECK(verdict_on_logs(0, runs).end == 7);
  add_mark(runs, 6, {8, 7, 7});
  add_mark(runs, 6, {9, 8, 8});
  CHECK(verdict_on_logs(0, runs).end == 9);
  add_mark(runs, 7, {12, 11, 11});
  CHECK(verdict_on_logs(0, runs).end == 9);
  CHECK(verdict_on_logs(0, runs).promised == 11);
}

TEST_CASE("a version that does not name the commit before, used in between, hides no gap", "[commit_chain]") {
  std::vector<LogRun> runs;
  add_mark(runs, 4, {1, 0, 0});
  add_mark(runs, 4, {2, 1, 1});
  // 3 is lost.
  add_mark(runs, 6, {4, 3, 3});
  add_mark(runs, 7, {5, std::nullopt, 0});
  add_mark(runs, 8, {6, 5, 5});
  const auto verdict = verdict_on_logs(0, runs);
  CHECK(verdict.end == 2);
  CHECK(verdict.promised == 5);
  CHECK(verdict.behind_gap == 6);
}

TEST_CASE("what is left behind a torn end does not keep an older version from going on", "[commit_chain]") {
  std::vector<LogRun> runs;
  add_mark(runs, 4, {1, 0, 0});
  // 2 was torn; 3 was not synced and can be read.
  add_mark(runs, 4, {3, 2, 1});
  for (std::uint64_t commit = 2; commit < 6; ++commit) add_mark(runs, 5, {commit, std::nullopt, 0});
  CHECK(verdict_on_logs(0, runs).end == 5);
  CHECK_FALSE(verdict_on_logs(0, runs).behind_gap.has_value());
}

}  // namespace catena::storage::test
