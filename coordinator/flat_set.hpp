#pragma once
// A set of few values in one piece of memory: a chain that waits has several, most of them empty.
#include <algorithm>
#include <cstddef>
#include <vector>

namespace catena::coordinator {

/// In ascending order. insert at the end O(1), else O(size); contains O(log size); erase O(size).
template <class T>
class FlatSet {
 public:
  /// Whether it is new.
  bool insert(const T& value) {
    const auto at = std::ranges::lower_bound(values_, value);
    if (at != values_.end() && *at == value) return false;
    values_.insert(at, value);
    return true;
  }
  /// How many there were: 0 or 1.
  std::size_t erase(const T& value) {
    const auto at = std::ranges::lower_bound(values_, value);
    if (at == values_.end() || *at != value) return 0;
    values_.erase(at);
    return 1;
  }
  template <class Goes>
  void erase_where(const Goes& goes) {
    std::erase_if(values_, goes);
  }
  [[nodiscard]] bool contains(const T& value) const { return std::ranges::binary_search(values_, value); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] auto begin() const { return values_.begin(); }
  [[nodiscard]] auto end() const { return values_.end(); }

 private:
  std::vector<T> values_;
};

}  // namespace catena::coordinator
