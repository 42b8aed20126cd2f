#pragma once
// Answers questions about chains and files from a store, beside whatever process runs the chains. What is read for one answer is bounded: a
// page of an index, the tail of a journal behind its checkpoint, a slice of a history.
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "coordinator/ended_states.hpp"
#include "coordinator/inspect/questions.hpp"
#include "coordinator/recover.hpp"
#include "lang/document/json_text.hpp"
#include "lang/package/package.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Chains whose summaries are read as a whole for one page of a list at most.
inline constexpr std::uint32_t kChainsLookedAtMax = 20'000;
/// What one page of a list may read of the indices before it ends with a cursor: entries, and for how long.
struct ListBounds {
  std::size_t entries_max = 500'000;
  Millis time_max{200};
};
/// Events of a history that are counted in one answer.
inline constexpr std::uint32_t kEventsCountedMax = 20'000;
/// Failed items that are read for one answer about errors.
inline constexpr std::uint32_t kErrorsGroupedMax = 20'000;
/// Items of a step that are passed over for one page of them.
inline constexpr std::uint32_t kItemsLookedAtMax = 1'000'000;
/// Events that are read for one answer about times. Of those behind half of them only the ends of attempts count that began before.
inline constexpr std::uint32_t kEventsTimedMax = 200'000;

/// For one thread.
class Inspector {
 public:
  /// Store and clock must outlive it. `ended`: of the process that runs the chains; null: there is none.
  Inspector(const storage::Kv& kv, lang::Catalog catalog, const Clock& clock, ListBounds bounds = {},
            std::shared_ptr<const EndedStates> ended = nullptr)
      : kv_{kv}, catalog_{std::move(catalog)}, clock_{clock}, bounds_{bounds}, just_ended_{std::move(ended)} {}

  [[nodiscard]] Result<Answer> answer_any(const Question& question);

  [[nodiscard]] Result<ChainPage> answer(const ListChains& ask);
  [[nodiscard]] Result<FamilyCounts> answer(const CountFamily& ask);
  [[nodiscard]] Result<ChainDescription> answer(const DescribeChain& ask);
  [[nodiscard]] Result<FoundSubmission> answer(const FindSubmission& ask);
  [[nodiscard]] Result<TokenList> answer(const ListTokens& ask);
  [[nodiscard]] Result<StepPage> answer(const ListSteps& ask);
  [[nodiscard]] Result<AttemptCounts> answer(const CountAttempts& ask);
  [[nodiscard]] Result<HistoryPage> answer(const ReadHistory& ask);
  [[nodiscard]] Result<ValuePiece> answer(const ReadValue& ask);
  [[nodiscard]] Result<ItemPage> answer(const ListItems& ask);
  [[nodiscard]] Result<ItemStates> answer(const AskItemStates& ask);
  [[nodiscard]] Result<ErrorGroups> answer(const GroupErrors& ask);
  [[nodiscard]] Result<TaskDescription> answer(const DescribeTask& ask);
  [[nodiscard]] Result<AttemptPage> answer(const ListAttempts& ask);
  [[nodiscard]] Result<ChainWaits> answer(const AskWaits& ask);
  [[nodiscard]] Result<FoundTask> answer(const FindTask& ask);
  [[nodiscard]] Result<LogPage> answer(const ReadLogs& ask);
  [[nodiscard]] Result<RepairPreview> answer(const PreviewRepair& ask);
  [[nodiscard]] Result<ForkPreview> answer(const PreviewFork& ask);
  [[nodiscard]] Result<FeedPage> answer(const ReadFeed& ask);
  [[nodiscard]] Result<AuditPage> answer(const ReadAudit& ask);
  [[nodiscard]] Result<WebhookPage> answer(const ReadWebhooks& ask);
  [[nodiscard]] Result<ApprovalPage> answer(const ListApprovals& ask);
  [[nodiscard]] Result<SchedulePage> answer(const ListSchedules& ask);
  [[nodiscard]] Result<ScheduleTold> answer(const ReadSchedule& ask);
  [[nodiscard]] Result<PinnedTexts> answer(const ReadPinned& ask);
  [[nodiscard]] Result<ChainGraph> answer(const DrawChain& ask);
  [[nodiscard]] Result<Timeline> answer(const AskTimeline& ask);
  [[nodiscard]] Result<ItemWork> answer(const AskItemWork& ask);
  [[nodiscard]] Result<ChainDiff> answer(const DiffChains& ask);
  [[nodiscard]] Result<FoundFile> answer(const FindFile& ask);
  [[nodiscard]] Result<FilePage> answer(const ListFiles& ask);
  [[nodiscard]] Result<FilePage> answer(const ListFileVersions& ask);
  [[nodiscard]] Result<FilePiece> answer(const ReadFile& ask);

 private:
  /// A chain and what it runs.
  struct Known {
    Recovered recovered;
    std::shared_ptr<const lang::Package> package;  // null: see `package_error`
    std::optional<Error> package_error;
    [[nodiscard]] const engine::ChainState& state() const { return recovered.state; }
    [[nodiscard]] std::shared_ptr<const lang::Program> program() const;
  };
  [[nodiscard]] Result<storage::ChainSummary> summary_of_chain(const ChainId& chain);
  [[nodiscard]] Result<Recovered> recovered(const ChainId& chain);
  [[nodiscard]] Result<Known> known(const ChainId& chain);
  /// As it was at the end of an epoch; 0: as it is. O(events), once for all questions about one that is over.
  [[nodiscard]] Result<Known> known(const ChainId& chain, std::uint32_t epoch);
  [[nodiscard]] Result<Recovered> recovered_at(const ChainId& chain, std::uint32_t epoch);
  [[nodiscard]] Result<Known> with_package(Recovered recovered);
  [[nodiscard]] Result<std::shared_ptr<const lang::Package>> package_of(const std::string& hash);
  [[nodiscard]] Result<StepIndex> step_named(const Known& chain, const ChainId& id, const std::string& step);
  [[nodiscard]] Result<engine::ReasonScope> scope_of(const Known& chain, const AskWaits& ask);
  void complete(engine::Reason& reason, const Known& chain, const ChainId& id) const;
  [[nodiscard]] Error chain_not_found(const ChainId& chain) const;
  [[nodiscard]] ListedChain listed(const storage::ChainSummary& summary, std::uint32_t& folded) const;
  [[nodiscard]] Result<ValuePiece> piece_of(const engine::Payload& payload, std::uint32_t piece) const;
  [[nodiscard]] Result<ItemRow> item_row(const ListItems& ask, const engine::ChainState& state, StepIndex step, ItemIndex item) const;
  /// Chains of several statuses, each of which has an index of its own: in one order, and without reading any chain of another status.
  [[nodiscard]] Result<ChainPage> of_statuses(const ListChains& ask, const storage::SummaryFilter& filter) const;
  /// For one of so many walks that make a page together. It must not outlive the inspector.
  [[nodiscard]] storage::WalkBound bound_of_walk(std::size_t walks) const;
  [[nodiscard]] bool has_context(const storage::ChainSummary& summary, const ListChains& ask, std::uint32_t& folded) const;
  /// The arguments of a task as its tool gets them; of a fan-out without an item, those that all share.
  [[nodiscard]] Result<lang::JsonText> arguments_of(const Known& chain, const ChainId& id, StepIndex step, std::optional<ItemIndex> item) const;

  const storage::Kv& kv_;
  lang::Catalog catalog_;
  const Clock& clock_;
  ListBounds bounds_;
  std::shared_ptr<const EndedStates> just_ended_;
  std::shared_ptr<const lang::Package> package_;  // the last that was read: pages of one chain ask for the same
  std::optional<Recovered> ended_;                // the last chain that was looked at, if it had ended: its parts are asked for one by one
  std::uint64_t removals_ = 0;                    // chains that had been removed by then
  struct Past {
    std::uint32_t epoch = 0;
    std::uint64_t removals = 0;
    Recovered recovered;
  };
  std::optional<Past> past_;  // the last epoch that was looked at, if it was over
};

/// As many as a page may have where `asked` are wanted; 0: no number was named.
[[nodiscard]] std::uint32_t page_rows(std::uint32_t asked);

}  // namespace catena::coordinator
