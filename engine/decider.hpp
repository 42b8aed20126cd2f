#pragma once
// The judge behind decide(): one object an input. Inside the engine only. Each family of inputs has a file of its own.
#include <map>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/items.hpp"
#include "engine/outstanding.hpp"

namespace catena::engine {

class Decider {
 public:
  Decider(const PreparedProgram& prepared, ChainState& state, UnixMillis at) : prepared_{prepared}, state_{state}, at_{at} {}

  // decide_start.cpp: a chain begins, is evaluated, is steered by a person
  void operator()(const Start& input);
  void operator()(const Evaluated& input);
  void operator()(const Shaped& input);
  void operator()(const OutputsEvaluated& input);
  void operator()(const Cancel& input);
  void operator()(const Pause& input);
  void operator()(const Unpause& input);
  void operator()(const Retry& input);
  void operator()(const Quarantine& input);
  void operator()(const Amend& input);
  // decide_signal.cpp: signals come, and steps take them
  void operator()(const Signal& input);
  void operator()(const SignalUsed& input);
  // decide_approval.cpp: items wait for people
  void operator()(const Approval& input);
  // decide_fork.cpp: a chain begins with what another one had come to
  void operator()(const Fork& input);
  // decide_task.cpp: items go out and come back
  void operator()(const Offer& input);
  void operator()(const Report& input);
  void operator()(const Resolve& input);
  void operator()(const Substitute& input);
  // decide_time.cpp: time passes, workers vanish
  void end_at_deadline();
  void operator()(const TimerDue& input);
  void operator()(const WorkerLost& input);

  [[nodiscard]] Decision finish() &&;

 private:
  /// What an event can change the effects of.
  struct Touched {
    std::optional<StepIndex> step;
    std::optional<StepIndex> left;
    std::vector<GrantId> grants;
    bool everything = false;
  };
  [[nodiscard]] Touched touched_by(const Event& event) const;
  [[nodiscard]] Effects effects_of(const Touched& touched) const;

  /// Records a fact and moves the state along.
  void emit(Event event);

  // decide_start.cpp
  void cancel(const Cancel& input);
  [[nodiscard]] std::optional<Error> failed_at_end() const;
  // advance.cpp: what follows when items or visits have settled
  void settle_items(const VisitId& visit);
  void settle_visit(const VisitId& visit, VisitStatus status, Payload response, std::optional<Error> error, const Substitute* given = nullptr);
  void follow_route(StepIndex step, bool ok);
  void pass_over(StepIndex step);
  void wind_down();
  [[nodiscard]] bool is_current(const VisitId& visit) const;
  [[nodiscard]] const lang::Step& step_of(const VisitId& visit) const { return prepared_.program->steps[visit.step]; }
  [[nodiscard]] VisitState& state_of(const VisitId& visit) { return state_.steps[visit.step]; }

  // decide_approval.cpp
  void ask_approval(StepIndex step);
  void end_approval(const VisitId& visit);

  // decide_task.cpp
  /// What the failed items of one report come to.
  struct Failures {
    IndexSet bad;                             // they have failed for good
    std::optional<Error> error;               // of the first of those
    Attempt attempt = 0;                      // and the number of its last attempt
    std::vector<AttemptsEnded> ended;         // of the others
    std::map<ItemIndex, std::int64_t> after;  // when they are tried again, in ms from now
    std::optional<ItemIndex> first;           // whose pause is drawn for all of them
    std::optional<std::uint32_t> last_count;  // attempts of the last of them that failed
  };
  void add_failure(const Report& report, const ItemReport& item, Failures& failures);
  static void add_ended(const Report& report, const VisitId& visit, const ItemReport& item, Ended how, bool in_doubt, Failures& failures);
  void emit_failures(const VisitId& visit, Failures& failures);
  void settle_reported(const Report& report, const VisitId& visit, const std::vector<const ItemReport*>& items);
  void finish_plain(const VisitId& visit, const ItemReport& item);
  void give_items(const VisitId& visit, const Substitute& input);
  void give_step(const Substitute& input);

  const PreparedProgram& prepared_;
  ChainState& state_;
  UnixMillis at_;
  Decision decision_;
  Effects removed_;  // effects that stood before this input and do no longer
};

/// Moves an error to where a person can place it: which step, which attempt (0: none).
[[nodiscard]] Error step_error(const lang::Step& step, const Error& cause, Attempt attempt = 0);

}  // namespace catena::engine
