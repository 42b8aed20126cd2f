#pragma once
// What commands ask about chains and files, wherever those are: one interface over a store at hand and over a cluster's line. Blocking, for
// one thread.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "lang/document/json_text.hpp"
#include "lang/package/stored.hpp"

namespace catena::client {

class Questions {
 public:
  virtual ~Questions() = default;

  /// Errors: those of the question; connection_failed of a cluster.
  template <coordinator::Asks Q>
  [[nodiscard]] Result<typename Q::Answer> ask(const Q& question) {
    auto answer = answer_any(coordinator::Question{question});
    if (!answer) return fail(std::move(answer).error());
    return std::get<typename Q::Answer>(std::move(*answer));
  }
  /// For who hands questions on: the kind of answer that the question names.
  [[nodiscard]] Result<coordinator::Answer> ask_any(const coordinator::Question& question) { return answer_any(question); }

 private:
  [[nodiscard]] virtual Result<coordinator::Answer> answer_any(const coordinator::Question& question) = 0;
};

/// Over a store at hand.
class StoreQuestions final : public Questions {
 public:
  /// `clock` null: the wall clock. Store and clock must outlive it. `ended`: as Inspector takes it.
  StoreQuestions(const storage::Kv& kv, lang::Catalog catalog, const Clock* clock = nullptr,
                 std::shared_ptr<const coordinator::EndedStates> ended = nullptr);
  /// Keeps the store.
  StoreQuestions(std::unique_ptr<const storage::Kv> kv, lang::Catalog catalog, const Clock* clock = nullptr);

 private:
  [[nodiscard]] Result<coordinator::Answer> answer_any(const coordinator::Question& question) override { return inspector_.answer_any(question); }
  std::unique_ptr<const storage::Kv> kept_;
  SystemClock wall_;
  coordinator::Inspector inspector_;
};

/// Of a data directory, beside whatever process runs its chains. One in which nothing was ever run is like an empty one.
[[nodiscard]] Result<std::shared_ptr<Questions>> open_to_ask(const std::string& data_dir, lang::Catalog catalog, const Clock* clock = nullptr);

// ---- answers of several pages -----------------------------------------------------------------------------------------

/// Every chain that is asked for; `most` 0: all. The visitor answers false to stop.
[[nodiscard]] Result<void> for_each_chain(Questions& questions, coordinator::ListChains ask, std::size_t most,
                                          const std::function<bool(const coordinator::ListedChain&)>& visit);
[[nodiscard]] Result<std::vector<coordinator::StepRow>> all_steps(Questions& questions, const ChainId& chain);
/// From where a chain was submitted, or opened again after it had ended, to its next end.
struct Epoch {
  coordinator::EpochMark opened = {};
  bool given = false;  // it was opened for a response that a person gave
  std::optional<coordinator::EpochMark> ended = {};
  std::int64_t attempts = 0;
};
/// Epochs of a chain that are kept here: the last.
inline constexpr std::size_t kEpochsKept = 1000;

struct AttemptsAndEpochs {
  std::vector<std::uint64_t> by_step = {};  // attempts granted so far
  std::vector<Epoch> epochs = {};
  std::uint64_t epochs_before = 0;  // of which more are told than these
};
/// In one pass over the history, part by part.
[[nodiscard]] Result<AttemptsAndEpochs> attempts_and_epochs(Questions& questions, const ChainId& chain, std::size_t steps);
[[nodiscard]] Result<void> for_each_event(Questions& questions, coordinator::ReadHistory ask,
                                          const std::function<bool(const coordinator::HistoryEvent&)>& visit);
/// The whole value; null where there is none. `shown`: as much of it as is known already.
[[nodiscard]] Result<lang::JsonText> read_value(Questions& questions, const ChainId& chain, coordinator::ValueOf what,
                                                const coordinator::ShownValue& shown);
/// Of a step, of an item or of a task: what `ask` names.
[[nodiscard]] Result<lang::JsonText> read_value(Questions& questions, coordinator::ReadValue ask, const coordinator::ShownValue& shown);
/// How many chains are asked for, counted as far as `most`; more than that: `most` + 1.
[[nodiscard]] Result<std::uint64_t> count_chains(Questions& questions, coordinator::ListChains ask, std::uint64_t most);
/// Of all descendants, by status; their steps.
[[nodiscard]] Result<coordinator::FamilyCounts> count_family(Questions& questions, const ChainId& chain);
/// Items, until the visitor answers false; at most `most` of them (0: all). True: there are more.
[[nodiscard]] Result<bool> for_each_item(Questions& questions, coordinator::ListItems ask, std::size_t most,
                                         const std::function<bool(const coordinator::ItemRow&)>& visit);
/// The largest groups first, over all failed items of a step.
[[nodiscard]] Result<coordinator::ErrorGroups> group_errors(Questions& questions, const ChainId& chain, const std::string& step);

/// One attempt of a task, from its begin to its end.
struct Attempt {
  Visit visit = 0;
  WorkerId worker = {};       // empty: no attempt; a person said what became of it
  UnixMillis granted_at = 0;  // 0: the same
  UnixMillis ended_at = 0;    // 0: it runs
  coordinator::AttemptEvent how = coordinator::AttemptEvent::granted;
  std::optional<Error> error = {};
  std::optional<ItemIndex> error_of = {};  // whose error it is, where several items ended alike
};
/// In the order of their begins.
[[nodiscard]] Result<std::vector<Attempt>> attempts_of(Questions& questions, const ChainId& chain, const coordinator::TaskName& task);

/// Pages of files, until the visitor answers false.
[[nodiscard]] Result<void> for_each_page(Questions& questions, coordinator::ListFiles ask,
                                         const std::function<bool(const coordinator::FilePage&)>& visit);

/// Definitions that are stored where the questions are answered. It must not outlive them.
[[nodiscard]] lang::ReadStored read_stored(Questions& questions);

[[nodiscard]] Json to_json(const coordinator::StepRow& row);
/// As a person amends them: `max_concurrency`, `tolerate`, `timeout`, `retry_attempts`.
[[nodiscard]] Json to_json(const engine::Terms& terms);
[[nodiscard]] Json to_json(const Attempt& attempt);

}  // namespace catena::client
