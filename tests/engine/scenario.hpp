#pragma once
// What a simulated run is made of: the program, what its steps find and answer, and which accidents may happen.
#include <cstdint>
#include <functional>
#include <optional>

#include "tests/engine/builder.hpp"

namespace catena::engine::test {

/// What an execution may answer; where several bits are set, any of them.
enum Answer : unsigned { kOk = 1, kFailed = 2, kFatal = 4, kPostponed = 8 };
enum class Found { begin, expand, skip, error };

/// How often what need not happen may happen.
struct Budget {
  int crashes = 0;     // of coordinator and workers, what is not durable is gone
  int restarts = 0;    // of the coordinator alone: workers keep what they run and know
  int losses = 0;      // of a worker
  int duplicates = 0;  // reports delivered twice
  int cancels = 0;
  int pauses = 0;  // each with its unpause
  int retries = 0;
  int resolves = 0;
  int returns = 0;  // orders handed back by a worker, as far as they have not begun
  int gifts = 0;    // responses that a person gives in place of running a step or an item
  int kills = 0;    // cancellations without final steps
  int holds = 0;    // pauses of the chain above, each with its end
  int amends = 0;
  int repairs = 0;  // retries of a chain that goes on, each sent again by whoever lost the answer
};

struct Scenario {
  PreparedProgram prepared;
  Budget budget;
  std::size_t workers = 1;
  std::uint32_t offer = 1;  // items a worker takes at a time
  bool piecemeal = false;   // a report may speak of the first item only
  bool outputs_fail = false;
  std::function<Found(VisitId)> finds = [](VisitId) { return Found::begin; };
  std::function<std::uint32_t(VisitId)> width = [](VisitId) { return 2U; };
  /// `execution` counts from 1.
  std::function<unsigned(VisitId, ItemIndex, unsigned execution)> answers = [](VisitId, ItemIndex, unsigned) { return unsigned{kOk}; };
  /// Of a step that is evaluated again: its arguments, and those of its items, are what they were.
  std::function<bool(VisitId)> same = [](VisitId) { return true; };
  /// What a person's retries may be; every other one brings another package.
  std::vector<Retry> wishes = {Retry{}};
  /// In place of those, of a choice.
  std::function<Retry(std::uint64_t choice, const ChainState&)> wish = nullptr;
  /// What a person's amendments may be.
  std::vector<Amend> amends = {Amend{.only = 0, .terms = {.window = 1, .tolerated = {}, .tolerated_milli = {}, .timeout_ms = {}, .attempts = {}}}};
  /// Each is sent once, at any time while the chain goes on, and again by whoever lost the answer.
  std::vector<Signal> signals = {};
  /// Each is given once, when something of it waits, and again by whoever lost the answer.
  std::vector<Approval> approvals = {};
  /// Of the chain; nothing: it has none.
  std::optional<Millis> deadline = {};
  /// Whether the data of a signal can be evaluated as a response.
  std::function<bool(VisitId)> uses = [](VisitId) { return true; };
  /// Whether transform_responses succeeds; `evaluation` counts from 1.
  std::function<bool(VisitId, unsigned evaluation)> shapes = [](VisitId, unsigned) { return true; };
};

/// One thing that may happen next.
struct Action {
  enum Kind {
    sync,
    perform,
    finish,
    deliver,
    notice_loss,
    crash,
    restart,
    lose,
    deliver_twice,
    cancel,
    pause,
    unpause,
    retry,
    resolve,
    give_back,
    give,
    cancel_now,
    hold,
    let_go,
    amend,
    signal,
    signal_twice,
    approval,
    approval_twice,
    repair
  };
  Kind kind = sync;
  Effect effect = EvaluateOutputs{};  // perform
  std::size_t index = 0;              // worker; report; resolution; retry, repair, amend, signal, approval: which of the wishes
  GrantId grant = 0;                  // finish, give_back
  std::uint64_t choice = 0;           // finish: which of the possible answers
  bool partly = false;                // finish: the first item only; give_back: all but the first, which has begun
  VisitId visit;                      // resolve, give
  ItemIndex item = 0;                 // resolve, give
  [[nodiscard]] bool needed() const {
    return kind <= notice_loss || kind == unpause || kind == let_go || kind == resolve || kind == signal || kind == approval;
  }
};

}  // namespace catena::engine::test
