#pragma once
// How the chains ended that ended last: whoever asks at once after a short chain is answered without its journal being read. Pure.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "actors/messages.hpp"

namespace catena::coordinator {

class EndsTold {
 public:
  /// `removals`: how many chains had been removed from the store by then.
  void put(actors::ChainEnded end, std::uint64_t removals) {
    ends_.emplace_front(std::move(end), removals);
    if (ends_.size() > kEndsMax) ends_.pop_back();
  }
  /// Null: it is not among the latest, or a chain was removed since, which may have been this one.
  [[nodiscard]] const actors::ChainEnded* find(const ChainId& chain, std::uint64_t removals) const {
    const auto found = std::ranges::find(ends_, chain, [](const auto& end) -> const ChainId& { return end.first.chain; });
    return found == ends_.end() || found->second != removals ? nullptr : &found->first;
  }

 private:
  static constexpr std::size_t kEndsMax = 128;                     // of up to limits::kInlineValueBytesMax bytes
  std::deque<std::pair<actors::ChainEnded, std::uint64_t>> ends_;  // the newest first
};

}  // namespace catena::coordinator
