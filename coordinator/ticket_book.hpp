#pragma once
// The tickets of one chain: which are lent to grants and which are free for the next grant; how long items take at each worker, and so how many
// go out for one ticket; which orders at the end of a fan-out are out for too long. Pure; times are handed in.
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "actors/messages.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "coordinator/flat_set.hpp"
#include "coordinator/services.hpp"
#include "engine/state.hpp"

namespace catena::coordinator {

class TicketBook {
 public:
  using Grants = std::map<GrantId, engine::Grant>;
  struct Lent {
    actors::Ticket ticket;
    UnixMillis since = 0;  // the chain has had it
    UnixMillis sent = 0;   // when its grant went to the worker; 0: not yet
    bool spent = false;    // the worker gave work back: it gets the next from the dispatcher, if at all
    bool claimed = false;  // its grant may have gone to the worker before this coordinator started
  };

  explicit TicketBook(const Settings& settings) : settings_{settings} {}

  // ---- tickets
  /// How many tickets to ask for so that so many orders can go out; 0: enough are asked for.
  [[nodiscard]] std::uint32_t ask(const VisitId& visit, std::uint32_t orders);
  /// Nothing more is wanted. False: nothing was asked for.
  [[nodiscard]] bool withdraw(const VisitId& visit);
  /// What was asked for is asked for once more, and takes the place of that.
  void ask_anew() {
    for (auto& [visit, pace] : paces_) pace.asked = 0;
  }
  /// A ticket that was asked for has come.
  void add(const actors::Ticket& ticket, UnixMillis now);
  /// A ticket has come with a grant that is no more.
  void add_unasked(const actors::Ticket& ticket, UnixMillis now) { free_.push_back({.ticket = ticket, .since = now}); }
  /// The worker of a grant came back with it.
  void claim(GrantId grant, const actors::Ticket& ticket, UnixMillis now);
  /// The newest of the free tickets for which `fits(ticket)` holds.
  template <class Fits>
  [[nodiscard]] std::optional<Lent> take_free(Fits&& fits) {
    for (auto at = free_.rbegin(); at != free_.rend(); ++at) {
      if (!fits(at->ticket)) continue;
      auto found = std::move(*at);
      free_.erase(std::next(at).base());
      return found;
    }
    return std::nullopt;
  }
  void lend(GrantId grant, Lent lent) { lent_.emplace(grant, std::move(lent)); }
  /// The grant goes to its worker now. Null: no ticket stands behind it.
  [[nodiscard]] const actors::Ticket* send(GrantId grant, UnixMillis now);
  /// The worker gave work of this grant back.
  void spend(GrantId grant);
  /// The grant is done. Its ticket is free for the next grant, unless others should have a turn: then it is returned here.
  [[nodiscard]] std::optional<actors::Ticket> finish(GrantId grant, UnixMillis now);
  /// Free tickets that nobody used; none is free afterwards.
  [[nodiscard]] std::vector<actors::Ticket> return_free();
  /// Grants to a worker that never left: they waited for their record to be durable.
  [[nodiscard]] std::vector<GrantId> unsent(const WorkerId& worker, Incarnation incarnation) const;
  /// That worker is gone, and its tickets with it.
  void drop(const WorkerId& worker, Incarnation incarnation);
  /// Grants that are no more are not recalled any more.
  void forget_ended(const Grants& grants);
  [[nodiscard]] bool empty() const { return lent_.empty() && free_.empty(); }

  // ---- the size of an order
  /// Attempts of so many items took so long at that worker together; what an item has in arguments, 0: not known.
  void learn(const VisitId& visit, const WorkerId& worker, std::int64_t items, std::int64_t took_us, std::uint64_t item_bytes);
  /// As many items as keep a slot of that worker busy for a while and are not too large together; fewer towards the end, so that all slots end
  /// together. `left`: items that have not settled. Without a worker: in the mean over all.
  [[nodiscard]] std::uint32_t order_items(const VisitId& visit, std::size_t left, const WorkerId* worker = nullptr) const;
  /// The visit has settled.
  void forget_pace(const VisitId& visit) { paces_.erase(visit); }

  // ---- the tail of a fan-out
  /// How long an order is out before it may be stuck.
  [[nodiscard]] std::int64_t tail_age_ms() const;
  /// The last orders of the visit are to be looked at then, unless they are already. True: a timer is to be set for it; false: an earlier one is set.
  [[nodiscard]] bool watch(const VisitId& visit, UnixMillis due);
  /// There is nothing left to look at.
  void unwatch(const VisitId& visit);
  /// The timer that was set for `due` has come: what is to be looked at. Nothing where an earlier one took its place.
  [[nodiscard]] std::vector<VisitId> looks_due(UnixMillis due);
  /// For when a timer is to be set, after what was due has been looked at; none: nothing waits, or a timer is set that is early enough.
  [[nodiscard]] std::optional<UnixMillis> next_look();
  struct Tail {
    std::optional<WorkerId> worst;  // the rest of an order there takes longest: somebody is to help
    std::int64_t again_ms = 0;      // when to look again; 0: nothing is out
  };
  [[nodiscard]] Tail look(const VisitId& visit, const Grants& grants, UnixMillis now);
  /// The worker for which help was asked; none: for none. It is forgotten.
  [[nodiscard]] std::optional<WorkerId> helped(const VisitId& visit);
  /// Grants of that worker to ask back, so that others with so many idle slots have work.
  [[nodiscard]] std::vector<GrantId> recall(const VisitId& visit, const WorkerId& worker, const Grants& grants, std::uint32_t slots, UnixMillis now);

 private:
  struct Pace {
    double us_per_item = 0;                       // over all workers; 0: not known yet
    std::vector<std::pair<WorkerId, double>> at;  // the same by worker, ascending
    double bytes_per_item = 0;                    // of arguments; 0: not known yet
    std::uint32_t asked = 0;                      // tickets on their way
  };
  [[nodiscard]] bool recallable(GrantId id, const engine::Grant& grant, const VisitId& visit) const;
  [[nodiscard]] double left_us(const VisitId& visit, const engine::Grant& grant) const;

  Settings settings_;
  std::map<GrantId, Lent> lent_;
  std::vector<Lent> free_;
  std::map<VisitId, Pace> paces_;
  std::vector<std::pair<VisitId, UnixMillis>> watched_;  // ascending, and when
  UnixMillis timer_at_ = 0;                              // 0: none is set
  std::vector<std::pair<VisitId, WorkerId>> helping_;    // ascending; for whom help was asked
  FlatSet<GrantId> recalled_;
};

}  // namespace catena::coordinator
