#pragma once
// A tiny world around decide(): it performs effects once the events before them are durable, runs items on workers, delivers
// reports late and twice, loses workers and crashes. A value: copy it to try another schedule.
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/engine/invariants.hpp"
#include "tests/engine/scenario.hpp"

namespace catena::engine::test {

struct Execution {
  VisitId visit;
  IndexSet items;
};
struct Worker {
  Incarnation incarnation = 0;
  std::set<GrantId> seen;
  std::map<GrantId, Execution> executing;
};
struct Journal {
  Event event;
  std::shared_ptr<const Journal> before;
};

class World {
 public:
  explicit World(const Scenario& scenario) : scenario_{&scenario}, budget_{scenario.budget}, workers_(scenario.workers) {
    for (std::size_t signal = 0; signal < scenario.signals.size(); ++signal) to_send_.insert(signal);
    for (std::size_t approval = 0; approval < scenario.approvals.size(); ++approval) to_answer_.insert(approval);
    for (auto& worker : workers_) worker.incarnation = ++incarnations_;
    broken_ = begin();
  }

  /// Of a chain that begins with these events of another one: nothing of that one is out here.
  World(const Scenario& scenario, const std::vector<Event>& shared, const Fork& fork);

  [[nodiscard]] const ChainState& state() const { return state_; }
  [[nodiscard]] const Broken& broken() const { return broken_; }
  [[nodiscard]] UnixMillis now() const { return now_; }
  /// Everything that may happen, in a fixed order. `finish` comes once with each combination of answers.
  [[nodiscard]] std::vector<Action> actions() const;
  /// Does one of them; what broke is kept in broken().
  void act(const Action& action);
  /// Nothing is left to do, and rightly so: it ended and said so, or a person has to act.
  [[nodiscard]] bool at_rest() const;
  /// Identifies the world as far as its future goes.
  [[nodiscard]] std::string key() const;
  /// fold(journal) == live == checkpoint at `cut` + tail.
  [[nodiscard]] Broken check_journal(Sequence cut) const;
  [[nodiscard]] std::vector<Event> journal() const;

 private:
  Broken begin();
  Broken feed(decltype(Input::what) what);
  Broken perform(const Effect& effect);
  Broken run(GrantId grant);
  Broken stop(GrantId grant);
  Broken evaluate(VisitId visit);
  [[nodiscard]] IndexSet same_items(VisitId visit) const;
  Broken shape(VisitId visit);
  void forget_lists();
  Broken deliver(std::size_t index, bool keep);
  void finish(const Action& action);
  void give_back(const Action& action);
  void make_durable();
  void recover();
  void lose(Worker& worker);
  Broken control(const Action& action);
  Broken send_signal(std::size_t index);
  Broken send_approval(std::size_t index);
  [[nodiscard]] Broken check_signals() const;
  [[nodiscard]] Broken check_approvals() const;
  [[nodiscard]] unsigned answers(const VisitId& visit, ItemIndex item) const;
  [[nodiscard]] Report report_of(GrantId grant, Incarnation incarnation, const VisitId& visit, const IndexSet& items, std::uint64_t choice) const;
  [[nodiscard]] std::size_t index_of(const WorkerId& worker) const { return static_cast<std::size_t>(worker.value.back() - '0'); }
  [[nodiscard]] static WorkerId name_of(std::size_t index) { return WorkerId{"w" + std::to_string(index)}; }
  void add_finishes(std::size_t worker, std::vector<Action>& out) const;
  void add_options(std::vector<Action>& out) const;
  [[nodiscard]] bool crashable() const { return budget_.crashes + budget_.restarts > 0; }

  const Scenario* scenario_;
  Budget budget_;
  ChainState state_;    // live
  ChainState durable_;  // what a crash leaves
  std::shared_ptr<const Journal> journal_;
  std::shared_ptr<const Journal> durable_journal_;
  std::set<Effect> held_;  // until the events before them are durable
  std::set<Effect> owed_;
  std::vector<Worker> workers_;
  Incarnation incarnations_ = 0;
  std::vector<Report> transit_;
  std::vector<Report> unacked_;            // judged, but the judgement is not durable
  std::set<std::size_t> to_send_;          // signals that nobody has sent, or whose answer was lost
  std::set<std::size_t> unacked_signals_;  // sent, and the answer is not out
  std::set<std::size_t> acked_signals_;    // their senders know that they came
  std::set<std::size_t> to_answer_;        // approvals, in the same way
  std::set<std::size_t> unacked_approvals_;
  std::set<std::size_t> acked_approvals_;
  int unacked_repairs_ = 0;  // retries of a chain that goes on: they came, and the answer is not out
  std::set<std::pair<WorkerId, Incarnation>> dead_;
  std::map<std::pair<VisitId, ItemIndex>, unsigned> executions_;
  std::map<VisitId, unsigned> shapings_;
  std::map<VisitId, std::pair<IndexBits, IndexBits>> lists_;  // as they were when they were first shaped
  std::optional<ChainStatus> announced_;
  bool children_held_ = false;  // as the children heard last
  static constexpr UnixMillis kBegin = 1'000'000;
  UnixMillis now_ = kBegin;
  Broken broken_;
};

}  // namespace catena::engine::test
