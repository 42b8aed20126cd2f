#pragma once
// Copies what a fork shares of another chain's records under its own id, a bounded piece at a time, so that others have their turns. Behind a mark:
// whenever the power fails before the chain has begun, the mark says what is to be removed.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <memory>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/fork_base.hpp"
#include "coordinator/services.hpp"

namespace catena::coordinator {

/// The copy as far as it goes without an actor.
class ForkCopy {
 public:
  ForkCopy(std::shared_ptr<const ForkBase> base, ChainId chain);
  /// Adds the next piece. False: all is copied, and nothing was added.
  [[nodiscard]] Result<bool> add_piece(const storage::Kv& kv, storage::Batch& batch);

 private:
  /// Of one visit: its items with results, and what they, and the step's tool, get.
  struct Rows {
    VisitId visit;
    IndexBits wanted;
    std::uint32_t width = 0;
    std::uint32_t next_item = 0;
    std::optional<std::uint32_t> next_input = 0;  // none: all are copied
  };
  [[nodiscard]] Result<void> add_events(const storage::Kv& kv, storage::Batch& batch);
  [[nodiscard]] Result<void> add_rows(const storage::Kv& kv, storage::Batch& batch, Rows& rows) const;

  std::shared_ptr<const ForkBase> base_;
  ChainId chain_;
  Sequence next_event_ = 1;
  std::vector<Rows> rows_;
  std::size_t at_ = 0;
  bool marked_ = false;
};

struct ForkCopierState {
  std::shared_ptr<Services> services;
  std::shared_ptr<const ForkBase> base;
  std::optional<ForkCopy> copy;
  actors::CommitNumber last_commit = 0;
  static inline const char* name = "fork";
};

/// Answers the supervisor with ForkCopied or ForkFailed, and ends. One that is only to be checked is answered to `asker`, as a submission is.
caf::behavior fork_copier(caf::stateful_actor<ForkCopierState>* self, std::shared_ptr<Services> services, actors::ForkChain fork, caf::actor asker);

}  // namespace catena::coordinator
