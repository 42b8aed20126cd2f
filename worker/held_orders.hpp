#pragma once
// What a worker has been asked to do and may not forget yet, by chain, grant and item, each with its task: an attempt runs once however often it is
// asked for, and its result is kept until the coordinator says that it is durable. Pure. What is kept is bounded by the orders that are open, and
// those are bounded by tickets.
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "actors/protocol.hpp"
#include "base/error.hpp"

namespace catena::worker {

class HeldOrders {
 public:
  /// What an order that came means.
  struct Taken {
    /// The attempts that are not known, to be run; none: nothing is. Reports carry its `taking` back.
    actors::WorkOrder fresh;
    /// Results of what has ended already, to be sent again.
    std::vector<actors::AttemptResult> again;
    /// An item of it is known as another task: the number of its grant was given twice. Nothing of it was taken.
    bool foreign = false;
  };
  struct Totals {
    std::size_t orders = 0;
    std::size_t open = 0;  // attempts without a result
    std::size_t results = 0;
    std::size_t bytes = 0;  // of the results
  };

  [[nodiscard]] Taken accept(actors::WorkOrder order);
  /// Keeps what was not known; of a taking that was forgotten, or of an item that has a result, nothing is. A report of the results that count, which
  /// is what is kept: nothing is copied to be sent. Null: none does.
  [[nodiscard]] std::shared_ptr<const actors::NodeMessage> keep(actors::WorkReport report);
  /// True: some of it had no result yet, whoever runs it must be stopped.
  bool forget(const std::string& chain, GrantId grant);
  /// The same for an order that nobody wanted: that it was here is remembered. Should it be asked for again after all, nobody could say
  /// what of it began.
  bool let_go(const std::string& chain, GrantId grant);
  [[nodiscard]] bool was_let_go(const std::string& chain, GrantId grant) const { return gone_.contains({chain, grant}); }
  /// All of it, also what was let go of.
  void clear();

  [[nodiscard]] bool empty() const { return orders_.empty(); }
  /// All of them, by chain and grant.
  [[nodiscard]] std::vector<actors::HeldOrder> all() const;
  /// Those with attempts that have no result.
  [[nodiscard]] std::vector<actors::HeldOrder> open() const;
  [[nodiscard]] const Totals& totals() const { return totals_; }
  /// The number that the next taking gets; they grow.
  [[nodiscard]] actors::Taking next_taking() const { return takings_ + 1; }

 private:
  using Key = std::pair<std::string, GrantId>;
  struct Item {
    std::uint32_t item = 0;
    actors::Taking taking = 0;
    std::uint64_t task = 0;                             // of its idempotency key
    std::uint32_t at = 0;                               // of its result in the report
    std::shared_ptr<const actors::NodeMessage> report;  // null: it has not ended

    [[nodiscard]] const actors::AttemptResult& result() const { return std::get<actors::WorkReport>(*report).results[at]; }
  };
  struct Order {
    std::vector<Item> items;  // sorted by index, as they mostly come
    std::size_t open = 0;
    std::size_t bytes = 0;

    /// Null: there is none of that index. Of items without a gap in constant time.
    [[nodiscard]] const Item* find(std::uint32_t item) const;
    [[nodiscard]] Item* find(std::uint32_t item) { return const_cast<Item*>(std::as_const(*this).find(item)); }
    /// One that is not there.
    void add(Item item);
  };

  [[nodiscard]] bool holds_other_tasks(const actors::WorkOrder& order) const;

  std::map<Key, Order> orders_;
  std::set<Key> gone_;             // let go of
  std::deque<Key> gone_in_order_;  // the same, as they went: the oldest are forgotten first
  actors::Taking takings_ = 0;
  Totals totals_;
};

/// A report by which the attempts of an order, as taken, end with an error before they began.
[[nodiscard]] actors::WorkReport ended_by(const actors::WorkOrder& order, const Error& error);

}  // namespace catena::worker
