#pragma once
// What a worker incarnation was given and has not settled: what is to be sent to it over a new link, where its reports go, when it may
// forget. Pure; times are handed in, in milliseconds of any steady clock.
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/protocol.hpp"
#include "base/ids.hpp"
#include "base/index_set.hpp"
#include "coordinator/recent.hpp"

namespace catena::coordinator {

struct OrderKey {
  std::string chain;
  GrantId grant = 0;
  friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

class OpenOrders {
 public:
  static constexpr std::size_t kGoneMax = 4096;  // orders that it remembers to have let go of; as many as the worker remembers

  /// Who reports go to, by a number that its owner chose; 0: nobody.
  using Reporter = std::uint64_t;
  /// Takes what is to be sent to the worker, in order.
  using Tell = std::function<void(const actors::NodeMessage& message)>;
  /// What becomes of a report.
  struct Routed {
    enum class What { deliver, wait, forget };  // wait: nobody claims it yet, and the worker keeps it; forget: tell it OrderDone
    What what = What::wait;
    Reporter reporter = 0;  // of deliver: gets what the report is left with
  };
  /// Reporters that are of no more use because their last order is settled or was claimed by another.
  using Released = std::vector<Reporter>;

  /// Nobody claims an order for so long: it is let go of.
  explicit OpenOrders(std::int64_t patience_ms) : patience_ms_{patience_ms} {}

  /// A new order, or the same key again: its reporter is replaced, and items that are not in it any more are settled. What the one before
  /// is left with shows in released().
  void add(actors::WorkOrder order, Reporter reporter);
  /// What is left of it is to be stopped, or what has not begun is wanted back, now and over every link to come. False: not known.
  bool stop(const OrderKey& key);
  bool give_back(const OrderKey& key);
  /// What the worker is to be told of this order: it, and what was asked about it. Nothing when nobody claims it.
  void tell(const OrderKey& key, const Tell& tell) const;

  /// A link begins. `first`: of the session; `known_store`: what the worker holds was given by this store. The worker is told which of the
  /// held orders to let go of. All that are open: they are to be told again.
  [[nodiscard]] std::vector<OrderKey> greet(const std::vector<actors::HeldOrder>& held, bool first, bool known_store, std::int64_t now,
                                            const Tell& tell);
  /// Of a worker that holds nothing: the report that it began nothing of the order, and who gets it; none: nobody claims it, or the worker had
  /// been told to let go of it. The order stays until that is durable.
  using Returned = std::optional<std::pair<actors::WorkReport, Reporter>>;
  [[nodiscard]] Returned returned(const OrderKey& key) const;
  [[nodiscard]] std::vector<OrderKey> open() const;

  /// Reduces the report to items that are open, each once.
  [[nodiscard]] Routed route(actors::WorkReport& report) const;
  /// Who gets what attempts say while they run; what nobody waits for goes to nobody.
  [[nodiscard]] std::map<Reporter, actors::AttemptNotes> route(actors::AttemptNotes& said) const;
  /// Items whose reports are durable. True: it was the last, and the order is gone.
  bool durable(const OrderKey& key, const IndexSet& items);

  /// The reporter is gone: its orders wait to be claimed.
  void orphan(Reporter reporter, std::int64_t now);
  /// Orders that nobody claimed in time; they are gone.
  [[nodiscard]] std::vector<OrderKey> let_go(std::int64_t now);
  /// Reporters without an order since this was last asked.
  [[nodiscard]] Released released() { return std::exchange(released_, {}); }

  [[nodiscard]] std::size_t size() const { return orders_.size(); }
  [[nodiscard]] std::size_t unclaimed() const { return unclaimed_.size(); }

 private:
  struct Entry {
    actors::NodeMessage order;  // a WorkOrder
    IndexSet left;              // items that are not durable
    Reporter reporter = 0;
    bool stopped = false;
    bool wanted_back = false;
  };
  void release(Reporter reporter);

  std::int64_t patience_ms_;
  std::map<OrderKey, Entry> orders_;
  std::map<OrderKey, std::int64_t> unclaimed_;   // since when; with an entry of orders_ where its reporter went away
  Recent<OrderKey> gone_{kGoneMax};              // let go of: the worker may have begun them
  std::map<Reporter, std::uint32_t> reporters_;  // how many orders each has
  Released released_;
};

}  // namespace catena::coordinator
