#pragma once
// What a World remembers: its journal, and what identifies it.
#include "tests/engine/world.hpp"

namespace catena::engine::test {

inline std::vector<Event> World::journal() const {
  std::vector<Event> events;
  for (auto link = journal_; link; link = link->before) events.push_back(link->event);
  std::ranges::reverse(events);
  return events;
}

inline Broken World::check_journal(Sequence cut) const {
  ChainState whole, resumed;
  for (const auto& event : journal()) {
    evolve(whole, event);
    if (whole.seq == cut) {
      const auto checkpoint = decode_state(encode(whole));
      if (!checkpoint) return "a checkpoint does not decode";
      resumed = *checkpoint;
    } else {
      evolve(resumed, event);
    }
  }
  if (!(whole == state_)) return "fold(journal) is not the live state";
  if (auto broken = check_signals(); !broken.empty()) return broken;
  if (auto broken = check_approvals(); !broken.empty()) return broken;
  return cut == 0 || cut > whole.seq || resumed == state_ ? "" : "checkpoint and tail are not the live state";
}

inline std::string World::key() const {
  std::string key;
  const auto number = [&](const auto& from) {
    std::uint64_t value = 0;
    if constexpr (requires { from.value; }) {
      value = from.value;
    } else {
      value = from;
    }
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto set = [&](const IndexSet& items) {
    number(items.ranges().size());
    for (const auto& run : items.ranges()) number(run.first), number(run.last);
  };
  const auto effects = [&](const std::set<Effect>& all) {
    number(all.size());
    for (const auto& effect : all) {
      number(effect.index());
      std::visit(
          [&]<class E>(const E& e) {
            if constexpr (requires { e.visit; }) number(e.visit.step), number(e.visit.visit);
            if constexpr (requires { e.grant; }) number(e.grant);
            if constexpr (requires { e.now; }) number(e.now ? 1U : 0U);
            if constexpr (requires { e.held; }) number(e.held ? 1U : 0U);
            if constexpr (requires { e.number; }) number(e.number);
            if constexpr (requires { e.due; }) number(static_cast<std::uint64_t>(e.due));
          },
          effect);
    }
  };
  const auto reports = [&](const std::vector<Report>& all) {
    std::multiset<std::vector<std::uint64_t>> rows;  // sorted: their order says nothing
    for (const auto& report : all) {
      std::vector<std::uint64_t> row{report.grant.value, report.incarnation.value};
      for (const auto& item : report.items) {
        row.insert(row.end(), {item.item, static_cast<std::uint64_t>(item.outcome), static_cast<std::uint64_t>(item.error.code),
                               item.error.retryable ? 1U : 0U});
      }
      rows.insert(std::move(row));
    }
    number(rows.size());
    for (const auto& row : rows) {
      number(row.size());
      for (const auto value : row) number(value);
    }
  };
  const auto chain = [&](ChainState state) {
    state.seq = 0;  // how a state came about does not matter
    key += encode(state);
  };
  chain(state_);
  if (durable_.seq != state_.seq) chain(durable_);
  effects(held_), effects(owed_);
  reports(transit_), reports(unacked_);
  for (const auto& worker : workers_) {
    number(worker.incarnation);
    for (const auto grant : worker.seen) number(grant);
    for (const auto& [grant, execution] : worker.executing) number(grant), set(execution.items);
    number(0);
  }
  for (const auto& [worker, incarnation] : dead_) number(incarnation);
  for (const auto& [task, count] : executions_) number(task.first.step), number(task.first.visit), number(task.second), number(count);
  for (const auto& [visit, count] : shapings_) number(visit.step), number(visit.visit), number(count);
  for (const int left :
       {budget_.crashes, budget_.restarts, budget_.losses, budget_.duplicates, budget_.cancels, budget_.pauses, budget_.retries, budget_.resolves,
        budget_.returns, budget_.gifts, budget_.kills, budget_.holds, budget_.amends, budget_.repairs, unacked_repairs_}) {
    number(static_cast<std::uint64_t>(left));
  }
  for (const auto* signals : {&to_send_, &unacked_signals_, &acked_signals_, &to_answer_, &unacked_approvals_, &acked_approvals_}) {
    number(signals->size());
    for (const auto signal : *signals) number(signal);
  }
  number(children_held_ ? 1U : 0U);
  number(static_cast<std::uint64_t>(now_)), number(announced_ ? 1 + static_cast<std::uint64_t>(*announced_) : 0);
  return key;
}

}  // namespace catena::engine::test
