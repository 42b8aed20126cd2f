#pragma once
// Which contents nobody refers to: packages, large values, programs and files stand in the store under their SHA-256, and whoever needs them
// names that. A collection lists contents (candidates), looks through everything that may name one, and removes those that nothing named.
//
// What is written meanwhile is not lost. The one writer passes everything on to the same candidates before it writes it, so a name that
// comes to the store behind the place where the look is just now counts as well. Whoever finds that a content is there already, or writes it
// ahead of the record that names it, holds its hash until that record is written; a hash that is held is not removed, and the writer, which
// removes, cannot be between a look and a hold of others.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// Hashes of contents that somebody relies on who has not written so yet. From any thread.
class ContentHolds : public std::enable_shared_from_this<ContentHolds> {
 public:
  /// Held as long as the answer lives.
  [[nodiscard]] std::shared_ptr<const void> hold(std::string hash);
  /// Somebody who holds this hash has found its content in the store, where it stays as long as it is held.
  void note_found(const std::string& hash);
  /// Whether it was found and has not been removed since: whoever holds it need not look. False where that is not known.
  [[nodiscard]] bool was_found(const std::string& hash) const;
  /// Runs `remove` with those of the hashes that nobody holds; nobody comes to hold one while it runs.
  template <class Remove>
  void without_held(std::vector<std::string> hashes, Remove&& remove) {
    const std::lock_guard lock{mutex_};
    std::erase_if(hashes, [this](const std::string& hash) { return held_.contains(hash); });
    for (const auto& hash : hashes) found_.erase(hash);
    remove(hashes);
  }

 private:
  static constexpr std::size_t kFoundMax = 256;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> held_;
  std::unordered_set<std::string> found_;
};

/// Contents that may go. From any thread.
class Candidates {
 public:
  /// What stands under a hash.
  enum Kind : std::uint8_t { package = 1, value = 2, long_value = 4, file = 8, long_file = 16 };  // long: of several parts

  void add(std::string_view hash, Kind kind);
  /// Every hash in this text is named: 64 hexadecimal digits in a row that are one of a candidate, whatever stands around them. What only looks
  /// like one keeps a content that could go, and does no other harm; no form of record has to be known here.
  void note(std::string_view text);
  /// What a batch writes.
  void note(const storage::Batch& batch);

  /// Up to so many that nothing has named, taken out.
  struct Victim {
    std::string hash;
    std::uint8_t kinds = 0;
  };
  [[nodiscard]] std::vector<Victim> take(std::size_t most);
  [[nodiscard]] std::size_t size() const;

 private:
  using Digits = std::array<char, 64>;
  struct Content {
    Digits hash;
    std::uint8_t kinds = 0;
  };
  void note_locked(std::string_view text);

  mutable std::mutex mutex_;
  /// By the first 16 digits. Of two contents that have these in common one is never a candidate.
  std::unordered_map<std::uint64_t, Content> contents_;
};

/// Changes that remove a content.
void remove_content(storage::Batch& batch, const Candidates::Victim& victim);

/// A walk over the store in steps, so that others get their turn between. Each step goes on behind the last.
class ContentWalk {
 public:
  /// Lists contents, until there are so many candidates. True: there are no more.
  [[nodiscard]] Result<bool> list(const storage::Kv& kv, Candidates& candidates, std::size_t contents_at_once, std::size_t candidates_max);
  /// Notes what names contents, a part of it. True: all was looked at.
  [[nodiscard]] Result<bool> look(const storage::Kv& kv, Candidates& candidates, std::size_t records_at_once, std::size_t bytes_at_once);
  /// Before the look through the store for the next candidates.
  void look_again() { looked_to_.clear(); }

 private:
  std::string listed_to_;  // key
  std::string looked_to_;
};

/// A whole collection of a store that nobody else writes to; how many contents went.
[[nodiscard]] Result<std::uint64_t> collect_all(storage::Kv& kv);
/// What nothing refers to, and how many bytes it has.
struct Uncollected {
  std::uint64_t contents = 0;
  std::uint64_t bytes = 0;
};
[[nodiscard]] Result<Uncollected> find_uncollected(const storage::Kv& kv);

}  // namespace catena::coordinator
