#pragma once
// What rounds of a loop did that ended in turns of their parent's coordinator: the response of a sequence tells of them without reading their
// journals again. Those of others, of which there is nothing here, it reads. Bounded: beyond kEntriesMax and kBytesMax nothing more is kept.
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
  static constexpr std::size_t kBytesMax = 1UL << 20U;  // of what they responded

  /// All that the chain of this item recorded, which has succeeded: one that has not may be tried again.
  void add(const VisitId& visit, ItemIndex item, std::span<const engine::Event> events) {
    if (entries_ >= kEntriesMax || bytes_ >= kBytesMax) return;
    engine::History history;
    for (const auto& event : events) history.add(event);
    entries_ += history.entries().size();
    for (const auto& entry : history.entries()) bytes_ += entry.response.text.size();
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
    entries_ = bytes_ = 0;
  }

 private:
  std::map<std::pair<VisitId, ItemIndex>, engine::History> kept_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace catena::coordinator
