#pragma once
// What a worker may have stored of what its attempts print: only for orders that it was given, and no more at a time than it has credit for. Pure.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/protocol.hpp"
#include "coordinator/log_book.hpp"
#include "coordinator/open_orders.hpp"

namespace catena::coordinator {

class SessionLogs {
 public:
  /// Orders that it knows: what an attempt printed last comes behind its report.
  static constexpr std::size_t kOrdersMax = 4096;

  /// What had waited for the order is to be stored.
  [[nodiscard]] actors::LogsCame add(const actors::WorkOrder& order) {
    OrderKey key{order.chain, order.grant};
    if (orders_.insert_or_assign(key, Visited{order.step, order.visit}).second) {
      in_order_.push_back(std::move(key));
      if (in_order_.size() > kOrdersMax) {
        orders_.erase(in_order_.front());
        in_order_.pop_front();
      }
    }
    actors::LogsCame came;
    came.link = link_;
    std::erase_if(waiting_, [&](actors::LogPiece& piece) {
      if (piece.chain != order.chain || piece.grant != order.grant) return false;
      take(piece, {order.step, order.visit}, came);
      return true;
    });
    return came;
  }
  /// The welcome of a new link says what the worker may send.
  void begin_link(actors::Welcome& welcome, const LogLimits& limits) {
    ++link_;
    on_the_way_ = 0;
    waiting_.clear();
    welcome.logs = limits.keep;
    welcome.log_attempt_max = limits.attempt_max;
    welcome.log_credit = actors::kLogCreditBytes;
  }
  /// What of it is to be stored, and the credit for that and for what is dropped: what belongs to no order, or is more than there was credit for.
  /// `unclaimed`: the worker holds orders that nobody has asked about since the coordinator started; what may be theirs waits.
  [[nodiscard]] actors::LogsCame accept(actors::LogPieces said, bool unclaimed) {
    actors::LogsCame came;
    came.link = link_;
    for (auto& piece : said.pieces) {
      const auto cost = piece.cost();
      const auto order = orders_.find({piece.chain, piece.grant});
      const bool fits = piece.text.size() <= actors::kLogPieceBytes && on_the_way_ + cost <= actors::kLogCreditBytes;
      on_the_way_ += cost;  // until it is given back, whatever becomes of it
      if (fits && order != orders_.end()) {
        take(piece, order->second, came);
      } else if (fits && unclaimed) {
        waiting_.push_back(std::move(piece));
      } else {
        came.bytes += cost;
      }
    }
    return came;
  }
  /// Nobody will ask about those orders any more.
  [[nodiscard]] actors::LogsKept drop_waiting() {
    actors::LogsKept dropped{0, link_};
    for (const auto& piece : waiting_) dropped.bytes += piece.cost();
    waiting_.clear();
    return dropped;
  }
  /// Of this link: the worker may send so much more.
  [[nodiscard]] std::optional<actors::LogCredit> stored(const actors::LogsKept& kept) {
    if (kept.link != link_ || kept.bytes == 0) return std::nullopt;
    on_the_way_ -= std::min(on_the_way_, kept.bytes);
    return actors::LogCredit{kept.bytes};
  }

 private:
  struct Visited {
    std::string step;
    std::uint32_t visit = 0;
  };
  static void take(actors::LogPiece& piece, const Visited& order, actors::LogsCame& came) {
    came.bytes += piece.cost();
    piece.step = order.step;
    piece.visit = order.visit;
    came.pieces.push_back(std::move(piece));
  }
  std::map<OrderKey, Visited> orders_;
  std::deque<OrderKey> in_order_;
  std::vector<actors::LogPiece> waiting_;  // for their orders
  std::uint64_t link_ = 0;
  std::uint64_t on_the_way_ = 0;
};

}  // namespace catena::coordinator
