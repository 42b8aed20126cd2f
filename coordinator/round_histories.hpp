#pragma once
// What rounds of a loop did that ended in turns of their parent's coordinator: the response of a sequence tells of them without reading their
// journals again. Those of others, of which there is nothing here, it reads. Bounded: of the rounds beyond kEntriesMax nothing is kept.
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "base/ids.hpp"
#include "engine/history.hpp"

namespace catena::coordinator {

class RoundHistories {
 public:
  static constexpr std::size_t kEntriesMax = 4096;

  /// All that the chain of this item recorded.
  void add(const VisitId& visit, ItemIndex item, std::span<const engine::Event> events) {
    if (entries_ >= kEntriesMax) return;
    engine::History history;
    for (const auto& event : events) history.add(event);
    entries_ += history.entries().size();
    kept_.insert_or_assign({visit, item}, std::move(history));
  }
  /// Null: it is not kept.
  [[nodiscard]] const engine::History* find(const VisitId& visit, ItemIndex item) const {
    const auto found = kept_.find({visit, item});
    return found == kept_.end() ? nullptr : &found->second;
  }
  /// Some of them may come to something else.
  void clear() {
    kept_.clear();
    entries_ = 0;
  }

 private:
  std::map<std::pair<VisitId, ItemIndex>, engine::History> kept_;
  std::size_t entries_ = 0;
};

}  // namespace catena::coordinator
