#pragma once
// The port to a store of ordered keys. Engine and journal know only this; rocks_kv and memory_kv stand behind it and pass one
// and the same contract suite. Reads may come from any thread, writes from one thread at a time.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace catena::storage {

/// What a write promises when it returns.
enum class Durability : std::uint8_t {
  sync,   // it and everything written `sync` or `async` before it survives a loss of power
  async,  // it survives the end of the process, not a loss of power
  none,   // it may be lost until the store is closed in order
};

/// Changes that become visible together or not at all. Entries lie one after the other in a single buffer, so adding one
/// allocates nothing in the long run; clear() keeps the buffer.
class Batch {
 public:
  enum class Op : std::uint8_t { put, remove, remove_range };

  void put(std::string_view key, std::string_view value) {
    put_with(key, [&](std::string& out) { out.append(value); });
  }
  /// `fill(std::string& out)` appends the value in place and must not touch what stands there already.
  template <class Fill>
  void put_with(std::string_view key, Fill&& fill) {
    const auto head_at = open_entry(Op::put, key);
    const auto value_at = buffer_.size();
    fill(buffer_);
    const auto value_size = buffer_.size() - value_at;
    std::memcpy(buffer_.data() + head_at + offsetof(Head, value_size), &value_size, sizeof value_size);
  }
  void remove(std::string_view key) { open_entry(Op::remove, key); }
  /// All keys with from <= key < to. A store remembers the range until it has gone over it: for what has many keys.
  void remove_range(std::string_view from, std::string_view to) {
    const auto head_at = open_entry(Op::remove_range, from);
    const auto to_size = to.size();
    buffer_.append(to);
    std::memcpy(buffer_.data() + head_at + offsetof(Head, value_size), &to_size, sizeof to_size);
  }
  /// Lives for as long as the batch does, and then as long as the one that it is appended to: until it is written.
  void hold(std::shared_ptr<const void> what) { held_.push_back(std::move(what)); }
  [[nodiscard]] const std::vector<std::shared_ptr<const void>>& held() const { return held_; }
  void let_go() { held_.clear(); }
  /// The other batch's changes after those of this one.
  void append(const Batch& other) {
    buffer_.append(other.buffer_);
    count_ += other.count_;
    held_.insert(held_.end(), other.held_.begin(), other.held_.end());
  }

  [[nodiscard]] std::size_t bytes() const { return buffer_.size(); }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  void clear() {
    buffer_.clear();
    count_ = 0;
    held_.clear();
  }

  /// `visit(Op, key, value)` for each change, in the order they were added; of a range: its two ends.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < buffer_.size();) {
      Head head;
      std::memcpy(&head, buffer_.data() + at, sizeof head);
      const auto all = std::string_view{buffer_}.substr(at + sizeof head, head.key_size + head.value_size);
      visit(head.op, all.substr(0, head.key_size), all.substr(head.key_size));
      at += sizeof head + all.size();
    }
  }

 private:
  struct Head {
    std::size_t key_size;
    std::size_t value_size;
    Op op;
  };

  std::size_t open_entry(Op op, std::string_view key) {
    const auto head_at = buffer_.size();
    Head head{};  // zeroed with its padding, so that equal batches have equal bytes
    head.key_size = key.size();
    head.op = op;
    buffer_.append(reinterpret_cast<const char*>(&head), sizeof head);
    buffer_.append(key);
    ++count_;
    return head_at;
  }

  std::string buffer_;
  std::size_t count_ = 0;
  std::vector<std::shared_ptr<const void>> held_;
};

class Kv {
 public:
  /// The views hold during the call only. Answers false to stop.
  using Visitor = std::function<bool(std::string_view key, std::string_view value)>;

  virtual ~Kv() = default;

  [[nodiscard]] virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
  /// Keys of [from, to) in byte order, as they stood when the scan began; an empty `to` means to the end. The visitor may read
  /// from the store.
  [[nodiscard]] virtual Result<void> scan(std::string_view from, std::string_view to, const Visitor& visitor) const = 0;
  /// All of the batch or nothing. After a failure it is unknown whether the batch will be there after a restart, so every
  /// later write is refused with the same error: only opening the store again tells.
  [[nodiscard]] virtual Result<void> write(const Batch& batch, Durability durability) = 0;

  /// Which writable opening of this store this is, from 1. No two openings for writing share a number.
  [[nodiscard]] virtual std::uint64_t epoch() const = 0;
  /// Number of the last batch written, over all epochs.
  [[nodiscard]] virtual std::uint64_t commit() const = 0;
  /// The last of those that survives a loss of power, as far as is known; not 0 once the store was opened for writing.
  [[nodiscard]] virtual std::uint64_t durable_commit() const = 0;
};

}  // namespace catena::storage
