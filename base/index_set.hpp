#pragma once
// Sets of item indices. IndexSet is small where indices come in runs (grants, reports, events); IndexBits is small always
// (one bit an item) and is what a fan-out's state keeps.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace catena {

/// Half-open run [first, last).
struct IndexRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Sorted, disjoint, never-adjacent runs. Inserting at the end is O(1); elsewhere O(runs).
class IndexSet {
 public:
  IndexSet() = default;
  /// The indices [first, last).
  static IndexSet range(std::uint32_t first, std::uint32_t last);
  static IndexSet one(std::uint32_t index) { return range(index, index + 1); }

  /// False when it was in the set already.
  bool insert(std::uint32_t index);
  void insert(const IndexSet& other);
  /// False when it was not in the set.
  bool erase(std::uint32_t index);
  void erase(const IndexSet& other);
  [[nodiscard]] bool contains(std::uint32_t index) const;
  /// True when every index of `other` is in this set.
  [[nodiscard]] bool contains(const IndexSet& other) const;
  /// The first `count` indices, taken out of the set.
  [[nodiscard]] IndexSet take(std::uint32_t count);

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::uint32_t size() const;
  [[nodiscard]] std::uint32_t front() const { return ranges_.front().first; }
  [[nodiscard]] std::span<const IndexRange> ranges() const { return ranges_; }
  void clear() { ranges_.clear(); }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& run : ranges_) {
      for (auto index = run.first; index < run.last; ++index) visit(index);
    }
  }

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  void add(IndexRange run);
  void remove(IndexRange run);
  std::vector<IndexRange> ranges_;
};

/// What is in both.
[[nodiscard]] IndexSet both(const IndexSet& a, const IndexSet& b);

/// "3,7-9", the last index of a run included: how people write and read sets.
[[nodiscard]] std::string to_text(const IndexSet& set);
/// Nothing where that is none.
[[nodiscard]] std::optional<IndexSet> index_set_from_text(std::string_view text);

/// [[first,last], …], the form in the journal.
[[nodiscard]] Json to_json(const IndexSet& set);
/// Anything that is not such a list gives what could be read of it: damaged records are found by their checksum.
[[nodiscard]] IndexSet index_set_from_json(const Json& json);

/// A fixed width of bits with a count of those set.
class IndexBits {
 public:
  IndexBits() = default;
  explicit IndexBits(std::uint32_t width) : words_((width + 63U) / 64U) {}

  [[nodiscard]] bool test(std::uint32_t index) const { return index / 64U < words_.size() && ((words_[index / 64U] >> (index % 64U)) & 1U) != 0; }
  /// False when the bit was set already.
  bool set(std::uint32_t index);
  bool reset(std::uint32_t index);
  [[nodiscard]] std::uint32_t count() const { return count_; }
  /// The bits as bytes, for a checkpoint; trailing zero bytes are left out.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] static IndexBits from_bytes(std::uint32_t width, std::string_view bytes);

  friend bool operator==(const IndexBits&, const IndexBits&) = default;

 private:
  std::vector<std::uint64_t> words_;
  std::uint32_t count_ = 0;
};

}  // namespace catena
