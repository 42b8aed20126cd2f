#pragma once
// When what ran, from the events of a chain. Pure: folds of a journal.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "coordinator/inspect/picture_questions.hpp"
#include "engine/event.hpp"
#include "lang/program/program.hpp"

namespace catena::coordinator {

/// Attempts of items that are kept one by one.
inline constexpr std::uint32_t kAttemptsTimedMax = 100'000;
/// Items of a fan-out that have rows of their own: the slowest.
inline constexpr std::size_t kSlowRowsMax = 20;
/// Bars of one row: the last.
inline constexpr std::size_t kBarsMax = 300;
/// Of an item of a fan-out.
inline constexpr std::size_t kItemBarsMax = 30;
/// Items of a fan-out of which the work is told.
inline constexpr std::uint32_t kItemsTimedMax = 4'000'000;

/// How an attempt ended that settled nothing.
[[nodiscard]] AttemptEvent attempt_end(const engine::AttemptsEnded& ended);

/// Visits with their attempts, and which visit each waited for.
class TimelineFold {
 public:
  /// `program` null: steps are numbers, and nobody knows what waits for what. It must outlive the fold.
  explicit TimelineFold(const lang::Program* program) : program_{program} {}

  void add(const engine::Event& event);
  /// In the order in which visits began; behind a fan-out its slowest items.
  [[nodiscard]] std::vector<TimeRow> rows(UnixMillis now) const;
  /// The visit that ended last, or of a chain that goes on the open one that began first; before it the visit whose end opened its gate, and so on.
  [[nodiscard]] std::vector<PathPart> critical_path(bool finished) const;
  /// Whether all attempts of items are kept.
  [[nodiscard]] bool complete() const { return attempts_ <= kAttemptsTimedMax; }

 private:
  struct Track {
    std::vector<TimeBar> bars = {};
    std::uint32_t before = 0;  // bars that were dropped
    std::uint32_t attempts = 0;
    std::size_t bars_max = kBarsMax;
    void begin(BarKind kind, UnixMillis at, WorkerId worker = {});
    void end(UnixMillis at, std::optional<AttemptEvent> outcome = {});
  };
  struct VisitTrack {
    VisitId id;
    bool fan_out = false;
    bool skipped = false;
    std::uint32_t width = 0, ok = 0, bad = 0;
    UnixMillis from = 0, to = 0;
    std::uint64_t settled = 0;  // among all that settled: the how manieth; 0: not
    std::optional<std::size_t> cause = {};
    std::map<ItemIndex, Track> tracks = {};
  };

  VisitTrack& enter(VisitId id, UnixMillis at);
  void settle(VisitTrack& visit, UnixMillis at);
  [[nodiscard]] VisitTrack* find(VisitId id);
  [[nodiscard]] Track* track_of(VisitTrack& visit, ItemIndex item);
  [[nodiscard]] std::optional<std::size_t> cause_of(StepIndex step) const;
  [[nodiscard]] std::optional<std::size_t> last_of_path(bool finished) const;
  [[nodiscard]] TimeRow row_of(const VisitTrack& visit) const;
  void add_slow_items(const VisitTrack& visit, UnixMillis now, std::vector<TimeRow>& rows) const;
  void grant(const engine::Granted& event);
  void reopen(const std::vector<engine::Reopened>& steps);
  void fork(const engine::ChainForked& event);
  void each_track(VisitId visit, const IndexSet& items, const std::function<void(Track&)>& change);

  const lang::Program* program_;
  std::vector<VisitTrack> visits_;
  std::map<VisitId, std::size_t> by_id_;
  std::map<StepIndex, std::size_t> last_settled_;  // by step: its visit
  std::map<StepIndex, std::size_t> jumped_from_;   // into a step: the visit behind which the sequence went on
  std::uint64_t settled_ = 0;
  std::uint32_t attempts_ = 0;
};

/// Who ran the items of one visit, and how long that took: of the attempts whose begins are added.
class ItemWorkFold {
 public:
  ItemWorkFold(VisitId visit, std::uint32_t width);

  /// `begins`: attempts that begin count, too; else only the ends of those that are known.
  void add(const engine::Event& event, bool begins);
  [[nodiscard]] bool all_ended() const { return open_.empty(); }
  /// `status`: of an item now. Attempts that go on have taken until `now`.
  [[nodiscard]] ItemWork told(std::uint32_t slowest, UnixMillis now, const std::function<ItemStatus(ItemIndex)>& status) const;

 private:
  struct OpenGrant {
    std::uint32_t worker = 0;
    UnixMillis at = 0;
    IndexSet items = {};
  };
  struct Work {
    std::uint32_t attempts = 0;
    std::uint32_t worker = 0;
    std::int64_t took_ms = 0;
  };
  enum class Counts : std::uint8_t { ended, failed, not_at_all };
  void end(GrantId grant, const IndexSet& items, UnixMillis at, Counts counts);

  VisitId visit_;
  std::map<GrantId, OpenGrant> open_;
  std::vector<Work> work_;                     // by item
  std::vector<WorkerShare> workers_;           // in the order in which they came
  std::map<WorkerId, std::uint32_t> numbers_;  // of workers
};

}  // namespace catena::coordinator
