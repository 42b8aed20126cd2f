#include "storage/index_walk.hpp"

#include <algorithm>
#include <utility>

namespace catena::storage {
namespace {

/// A scan costs as much as so many entries that are read on.
constexpr std::size_t kEntriesPerScan = 16;
/// Entries that one scan takes along: few where the walk jumps, more where what was taken along was of use.
constexpr std::size_t kEntriesAtOnceMin = kEntriesPerScan;
constexpr std::size_t kEntriesAtOnceMax = 256;

/// The first key behind all that begin with this prefix, whose last byte is a NUL.
std::string behind_all(std::string prefix) {
  prefix.back() = '\x01';
  return prefix;
}

/// One index, read forward.
class IndexReader {
 public:
  IndexReader(const Kv& kv, std::string prefix, const IndexWalk& walk, std::size_t& entries)
      : kv_{kv}, prefix_{std::move(prefix)}, to_{walk.to.empty() ? behind_all(prefix_) : prefix_ + walk.to}, entries_{entries} {}

  /// Goes to the first entry at or behind this place. False: there is none.
  [[nodiscard]] Result<bool> seek(std::string_view place) {
    while (at_ < read_.size() && read_[at_].first < place) ++at_;
    if (at_ < read_.size()) {
      of_use_ = true;
      return true;
    }
    if (ended_) return false;
    at_once_ = of_use_ ? std::min(at_once_ * 2, kEntriesAtOnceMax) : std::max(at_once_ / 2, kEntriesAtOnceMin);
    read_.clear();
    at_ = 0;
    of_use_ = false;
    ended_ = true;
    const auto scanned = kv_.scan(prefix_ + std::string{place}, to_, [&](std::string_view key, std::string_view value) {
      read_.emplace_back(key.substr(prefix_.size()), value);
      ended_ = read_.size() < at_once_;
      return ended_;
    });
    entries_ += read_.size() + kEntriesPerScan;
    if (!scanned) return fail(scanned.error());
    return !read_.empty();
  }

  [[nodiscard]] const std::string& place() const { return read_[at_].first; }
  [[nodiscard]] const std::string& value() const { return read_[at_].second; }

 private:
  const Kv& kv_;
  std::string prefix_;
  std::string to_;
  std::size_t& entries_;
  std::vector<std::pair<std::string, std::string>> read_;
  std::size_t at_ = 0;
  std::size_t at_once_ = kEntriesAtOnceMin;
  bool of_use_ = false;  // a place was found in what the last scan took along
  bool ended_ = false;   // there is nothing behind what was read
};

/// Several of them, read as one.
class JoinedReader {
 public:
  JoinedReader(const Kv& kv, const std::vector<std::string>& prefixes, const IndexWalk& walk, std::size_t& entries) {
    parts_.reserve(prefixes.size());
    for (const auto& prefix : prefixes) parts_.emplace_back(kv, prefix, walk, entries);
  }

  /// Goes to the first entry at or behind this place that any of them has. False: there is none.
  [[nodiscard]] Result<bool> seek(std::string_view place) {
    first_ = nullptr;
    for (auto& part : parts_) {
      const auto there = part.seek(place);
      if (!there) return fail(there.error());
      if (*there && (first_ == nullptr || part.place() < first_->place())) first_ = &part;
    }
    return first_ != nullptr;
  }

  [[nodiscard]] const std::string& place() const { return first_->place(); }
  [[nodiscard]] const std::string& value() const { return first_->value(); }

 private:
  std::vector<IndexReader> parts_;
  const IndexReader* first_ = nullptr;  // what stands at the place that was sought
};

/// One index needs no places of others: a single scan.
Result<std::optional<std::string>> walk_one(const Kv& kv, const IndexWalk& walk, const WalkBound& bound, const PlaceVisitor& visitor) {
  const auto& prefix = walk.prefixes.front();
  std::optional<std::string> stopped;
  std::size_t entries = 0;
  const auto scanned =
      kv.scan(prefix + walk.from, walk.to.empty() ? behind_all(prefix) : prefix + walk.to, [&](std::string_view key, std::string_view value) {
        const auto place = key.substr(prefix.size());
        if (!visitor(place, value)) return false;
        if (bound(++entries)) return true;
        stopped = place;
        return false;
      });
  if (!scanned) return fail(scanned.error());
  return stopped;
}

}  // namespace

Result<std::optional<std::string>> walk_indices(const Kv& kv, const IndexWalk& walk, const WalkBound& bound, const PlaceVisitor& visitor) {
  if (walk.prefixes.size() == 1 && walk.any_of.empty()) return walk_one(kv, walk, bound, visitor);
  std::size_t entries = 0;
  std::vector<JoinedReader> readers;
  readers.reserve(walk.prefixes.size() + 1);
  for (const auto& prefix : walk.prefixes) readers.emplace_back(kv, std::vector{prefix}, walk, entries);
  if (!walk.any_of.empty()) readers.emplace_back(kv, walk.any_of, walk, entries);
  auto target = walk.from;
  bool is_entry = false;  // one of the indices has the target
  while (true) {
    // Nothing before the target is in all of them. Each may move it on; all that agree on it have it.
    std::size_t agreed = 0;
    for (std::size_t turn = 0; agreed < readers.size(); turn = (turn + 1) % readers.size()) {
      auto& reader = readers[turn];
      const auto there = reader.seek(target);
      if (!there) return fail(there.error());
      if (!*there) return std::nullopt;
      ++agreed;
      if (reader.place() == target) continue;
      // This index does not have the target.
      if (is_entry && !bound(entries)) return target;
      target = reader.place();
      is_entry = true;
      agreed = 1;
    }
    if (!visitor(target, readers.front().value())) return std::nullopt;
    if (!bound(entries)) return target;
    target.push_back('\0');
    is_entry = false;
  }
}

}  // namespace catena::storage
