#pragma once
// The keeper: a small process beside catena that outlives it by a moment and takes the tools along. Whatever ends catena, SIGKILL included, the
// keeper then kills every process group that catena had started, and what had left its group and still carries the keeper's mark.
//
// How it knows: it reads a pipe that only catena can write to, and nothing ever does. The end of the pipe is the end of catena, and of every child
// that catena was just starting: those hold the pipe until they have written their group into the table that both share. So no group is missed.
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace catena::worker {

/// The variable that every tool has in its environment, and what it starts has, unless it takes it away.
inline constexpr std::string_view kKeeperVariable = "CATENA_KEEPER";

class Keeper {
 public:
  struct Table;  // what both processes see

  /// To be called early: the keeper holds on to what memory the process has now. Errors: tool_not_started, retryable.
  [[nodiscard]] static Result<std::unique_ptr<Keeper>> start();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  /// Waits until the keeper has killed what is left. Every Listing must be gone.
  ~Keeper();

  /// Room for one process group in the table; empty again when the object goes, which must be before the group's number can be another's.
  class Listing {
   public:
    Listing(Listing&& other) noexcept : keeper_{std::exchange(other.keeper_, nullptr)}, index_{other.index_} {}
    Listing& operator=(Listing&&) = delete;
    ~Listing();
    [[nodiscard]] std::atomic<::pid_t>& group() const;

   private:
    friend class Keeper;
    Listing(Keeper& keeper, std::uint32_t index) : keeper_{&keeper}, index_{index} {}
    Keeper* keeper_;
    std::uint32_t index_;
  };
  /// From any thread. Should somebody have killed the keeper, another is started. Errors: those of start(), and a full table.
  [[nodiscard]] Result<Listing> enlist();

  /// CATENA_KEEPER=…, another for each keeper: belongs into the environment of every tool.
  [[nodiscard]] const std::string& mark() const { return mark_; }
  [[nodiscard]] ::pid_t pid() const;

 private:
  Keeper(Table* table, std::string mark);
  [[nodiscard]] Result<void> hire();
  void release(std::uint32_t index);

  Table* table_;
  std::string mark_;
  mutable std::mutex mutex_;
  std::vector<std::uint32_t> free_;
  Fd lifeline_;  // the end of the pipe that is written to
  Fd pidfd_;
  ::pid_t pid_ = -1;
};

}  // namespace catena::worker
