#pragma once
// The latest keys of many: a memory of names and starts that others choose, which never grows beyond its bound.
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace catena::coordinator {

template <class Key>
class Recent {
 public:
  explicit Recent(std::size_t keys_max) : keys_max_{keys_max} {}

  /// It is the latest now; the one that was put longest ago makes room.
  void put(Key key) {
    erase(key);
    by_time_.emplace(++last_, key);
    keys_.emplace(std::move(key), last_);
    if (keys_.size() > keys_max_) erase(Key{by_time_.begin()->second});
  }
  void erase(const Key& key) {
    const auto known = keys_.find(key);
    if (known == keys_.end()) return;
    by_time_.erase(known->second);
    keys_.erase(known);
  }
  [[nodiscard]] bool contains(const Key& key) const { return keys_.contains(key); }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  /// In order of the keys.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [key, time] : keys_) visit(key);
  }

 private:
  std::size_t keys_max_;
  std::map<Key, std::uint64_t> keys_;
  std::map<std::uint64_t, Key> by_time_;
  std::uint64_t last_ = 0;
};

}  // namespace catena::coordinator
