#include "base/index_set.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>

namespace catena {

IndexSet IndexSet::range(std::uint32_t first, std::uint32_t last) {
  IndexSet set;
  if (first < last) set.ranges_.push_back({first, last});
  return set;
}

bool IndexSet::contains(std::uint32_t index) const {
  const auto after = std::ranges::upper_bound(ranges_, index, {}, &IndexRange::first);
  return after != ranges_.begin() && index < std::prev(after)->last;
}

bool IndexSet::contains(const IndexSet& other) const {
  return std::ranges::all_of(other.ranges_, [this](const IndexRange& run) {
    const auto after = std::ranges::upper_bound(ranges_, run.first, {}, &IndexRange::first);
    return after != ranges_.begin() && run.last <= std::prev(after)->last;
  });
}

bool IndexSet::insert(std::uint32_t index) {
  if (!ranges_.empty() && ranges_.back().last == index) {  // most sets are made from their beginning to their end
    ++ranges_.back().last;
    return true;
  }
  if (contains(index)) return false;
  add({index, index + 1});
  return true;
}

bool IndexSet::erase(std::uint32_t index) {
  if (!contains(index)) return false;
  remove({index, index + 1});
  return true;
}

void IndexSet::insert(const IndexSet& other) {
  for (const auto& run : other.ranges_) add(run);
}

void IndexSet::erase(const IndexSet& other) {
  for (const auto& run : other.ranges_) remove(run);
}

IndexSet IndexSet::take(std::uint32_t count) {
  IndexSet taken;
  auto whole = ranges_.begin();
  while (whole != ranges_.end() && count >= whole->last - whole->first) {
    count -= whole->last - whole->first;
    taken.ranges_.push_back(*whole++);
  }
  if (whole != ranges_.end() && count > 0) {
    taken.ranges_.push_back({whole->first, whole->first + count});
    whole->first += count;
  }
  ranges_.erase(ranges_.begin(), whole);
  return taken;
}

std::uint32_t IndexSet::size() const {
  std::uint32_t sum = 0;
  for (const auto& run : ranges_) sum += run.last - run.first;
  return sum;
}

void IndexSet::add(IndexRange run) {
  // The runs that touch or overlap the new one melt into it.
  auto first = std::ranges::lower_bound(ranges_, run.first, {}, &IndexRange::last);
  auto last = first;
  while (last != ranges_.end() && last->first <= run.last) {
    run.first = std::min(run.first, last->first);
    run.last = std::max(run.last, last->last);
    ++last;
  }
  if (first == last) {
    ranges_.insert(first, run);
    return;
  }
  *first = run;
  ranges_.erase(first + 1, last);
}

void IndexSet::remove(IndexRange run) {
  auto at = std::ranges::upper_bound(ranges_, run.first, {}, &IndexRange::last);
  while (at != ranges_.end() && at->first < run.last) {
    const IndexRange old = *at;
    if (old.first < run.first && run.last < old.last) {
      at->last = run.first;
      ranges_.insert(at + 1, {run.last, old.last});
      return;
    }
    if (old.first < run.first) {
      (at++)->last = run.first;
    } else if (run.last < old.last) {
      at->first = run.last;
      return;
    } else {
      at = ranges_.erase(at);
    }
  }
}

IndexSet both(const IndexSet& a, const IndexSet& b) {
  IndexSet found;
  auto left = a.ranges().begin();
  auto right = b.ranges().begin();
  while (left != a.ranges().end() && right != b.ranges().end()) {
    const auto first = std::max(left->first, right->first);
    const auto last = std::min(left->last, right->last);
    if (first < last) found.insert(IndexSet::range(first, last));
    left->last < right->last ? ++left : ++right;
  }
  return found;
}

std::string to_text(const IndexSet& set) {
  std::string text;
  for (const auto& run : set.ranges()) {
    if (!text.empty()) text += ',';
    text += std::to_string(run.first);
    if (run.last - run.first > 1) text += '-' + std::to_string(run.last - 1);
  }
  return text;
}

namespace {

/// Takes a number off the front.
std::optional<std::uint32_t> number_from(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || number == UINT32_MAX) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::optional<IndexSet> index_set_from_text(std::string_view text) {
  IndexSet set;
  for (;;) {
    const auto first = number_from(text);
    if (!first) return std::nullopt;
    auto last = first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      last = number_from(text);
    }
    if (!last || *last < *first) return std::nullopt;
    set.insert(IndexSet::range(*first, *last + 1));
    if (text.empty()) return set;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

Json to_json(const IndexSet& set) {
  Json json = Json::array();
  for (const auto& run : set.ranges()) json.push_back(Json::array({run.first, run.last}));
  return json;
}

IndexSet index_set_from_json(const Json& json) {
  IndexSet set;
  if (!json.is_array()) return set;
  for (const auto& run : json) {
    if (run.is_array() && run.size() == 2 && run[0].is_number_unsigned() && run[1].is_number_unsigned()) {
      set.insert(IndexSet::range(run[0].get<std::uint32_t>(), run[1].get<std::uint32_t>()));
    }
  }
  return set;
}

bool IndexBits::set(std::uint32_t index) {
  auto& word = words_[index / 64U];
  const auto bit = std::uint64_t{1} << (index % 64U);
  if ((word & bit) != 0) return false;
  word |= bit;
  ++count_;
  return true;
}

bool IndexBits::reset(std::uint32_t index) {
  auto& word = words_[index / 64U];
  const auto bit = std::uint64_t{1} << (index % 64U);
  if ((word & bit) == 0) return false;
  word &= ~bit;
  --count_;
  return true;
}

std::string IndexBits::bytes() const {
  std::string bytes;
  bytes.reserve(words_.size() * 8);
  for (const auto word : words_) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>((word >> shift) & 0xffU));
  }
  bytes.erase(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

IndexBits IndexBits::from_bytes(std::uint32_t width, std::string_view bytes) {
  IndexBits bits{width};
  for (std::size_t i = 0; i < bytes.size() && i / 8 < bits.words_.size(); ++i) {
    bits.words_[i / 8] |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i % 8));
  }
  for (const auto word : bits.words_) bits.count_ += static_cast<std::uint32_t>(std::popcount(word));
  return bits;
}

}  // namespace catena
