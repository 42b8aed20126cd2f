#pragma once
// Answers questions about chains and files from a store, beside whatever process runs the chains. What is read for one answer is bounded: a
// page of an index, the tail of a journal behind its checkpoint, a slice of a history.
#include <memory>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "coordinator/inspect/questions.hpp"
#include "coordinator/recover.hpp"
#include "lang/document/json_text.hpp"
#include "lang/package/package.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Chains that are passed over for one page of a list at most.
inline constexpr std::uint32_t kChainsLookedAtMax = 20'000;
/// Events of a history that are counted in one answer.
inline constexpr std::uint32_t kEventsCountedMax = 20'000;
/// Failed items that are read for one answer about errors.
inline constexpr std::uint32_t kErrorsGroupedMax = 20'000;
/// Items of a step that are passed over for one page of them.
inline constexpr std::uint32_t kItemsLookedAtMax = 1'000'000;
/// Rows that an answer about waiting has of one kind.
inline constexpr std::uint32_t kWaitsMax = 1000;

/// For one thread.
class Inspector {
 public:
  /// Store and clock must outlive it.
  Inspector(const storage::Kv& kv, lang::Catalog catalog, const Clock& clock) : kv_{kv}, catalog_{std::move(catalog)}, clock_{clock} {}

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
  [[nodiscard]] Result<FeedPage> answer(const ReadFeed& ask);
  [[nodiscard]] Result<AuditPage> answer(const ReadAudit& ask);
  [[nodiscard]] Result<WebhookPage> answer(const ReadWebhooks& ask);
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
  [[nodiscard]] Result<std::shared_ptr<const lang::Package>> package_of(const std::string& hash);
  [[nodiscard]] Result<StepIndex> step_named(const Known& chain, const ChainId& id, const std::string& step);
  [[nodiscard]] Error chain_not_found(const ChainId& chain) const;
  [[nodiscard]] ListedChain listed(const storage::ChainSummary& summary, std::uint32_t& folded) const;
  [[nodiscard]] Result<ValuePiece> piece_of(const engine::Payload& payload, std::uint32_t piece) const;
  [[nodiscard]] Result<ItemRow> item_row(const ListItems& ask, const engine::ChainState& state, StepIndex step, ItemIndex item) const;
  [[nodiscard]] bool has_context(const storage::ChainSummary& summary, const ListChains& ask, std::uint32_t& folded) const;
  /// The arguments of a task as its tool gets them; of a fan-out without an item, those that all share.
  [[nodiscard]] Result<lang::JsonText> arguments_of(const Known& chain, const ChainId& id, StepIndex step, std::optional<ItemIndex> item) const;

  const storage::Kv& kv_;
  lang::Catalog catalog_;
  const Clock& clock_;
  std::shared_ptr<const lang::Package> package_;  // the last that was read: pages of one chain ask for the same
  std::optional<Recovered> ended_;                // the last chain that was looked at, if it had ended: its parts are asked for one by one
  std::uint64_t removals_ = 0;                    // chains that had been removed by then
};

/// As many as a page may have where `asked` are wanted; 0: no number was named.
[[nodiscard]] std::uint32_t page_rows(std::uint32_t asked);

}  // namespace catena::coordinator
