#include "storage/memory_kv.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "storage/meta.hpp"
#include "storage/name_index.hpp"

namespace catena::storage {
namespace {

void apply_to(MemoryKv::Map& map, const Batch& batch) {
  batch.for_each([&](Batch::Op op, std::string_view key, std::string_view value) {
    if (op == Batch::Op::put) {
      map.insert_or_assign(std::string{key}, std::string{value});
    } else if (op == Batch::Op::remove_range) {
      if (key < value) map.erase(map.lower_bound(key), map.lower_bound(value));
    } else if (const auto found = map.find(key); found != map.end()) {
      map.erase(found);
    }
  });
}

}  // namespace

MemoryKv::MemoryKv() { open(); }

Result<std::optional<std::string>> MemoryKv::get(std::string_view key) const {
  const std::lock_guard lock{mutex_};
  const auto found = now_.visible.find(key);
  if (found == now_.visible.end()) return std::nullopt;
  return found->second;
}

Result<void> MemoryKv::scan(std::string_view from, std::string_view to, const Visitor& visitor) const {
  // The visitor may read from this store, so it runs on a copy and without the lock.
  std::vector<std::pair<std::string, std::string>> entries;
  {
    const std::lock_guard lock{mutex_};
    const auto end = now_.visible.end();
    for (auto at = now_.visible.lower_bound(from); at != end && (to.empty() || at->first < to); ++at) entries.emplace_back(*at);
  }
  for (const auto& [key, value] : entries) {
    if (!visitor(key, value)) break;
  }
  return {};
}

Result<void> MemoryKv::write(const Batch& batch, Durability durability) {
  const std::lock_guard lock{mutex_};
  if (broken_) return fail(*broken_);
  if (planned_ && --planned_->writes_left == 0) {
    // What is not logged does not land before a later write takes it along, and none comes.
    if (planned_->fault == Fault::landed && durability != Durability::none) apply_write(batch, Durability::sync);
    broken_ = make_error(Code::storage_io, "a write failed because a test told it to");
    planned_.reset();
    return fail(*broken_);
  }
  apply_write(batch, durability);
  return {};
}

void MemoryKv::apply_write(const Batch& batch, Durability durability) {
  Batch numbered = batch;
  numbered.let_go();
  numbered.put(commit_key(), commit_record(++now_.commit));
  apply_to(now_.visible, numbered);
  if (durability == Durability::none) return;
  now_.unsynced.push_back(std::move(numbered));
  if (durability == Durability::async) return;
  for (const auto& commit : now_.unsynced) apply_to(now_.durable, commit);
  now_.unsynced.clear();
  now_.durable_commit = now_.commit;
}

std::uint64_t MemoryKv::epoch() const {
  const std::lock_guard lock{mutex_};
  return now_.epoch;
}

std::uint64_t MemoryKv::durable_commit() const {
  const std::lock_guard lock{mutex_};
  return now_.durable_commit;
}

std::uint64_t MemoryKv::commit() const {
  const std::lock_guard lock{mutex_};
  return now_.commit;
}

void MemoryKv::fail_write(std::uint64_t nth, Fault fault) {
  const std::lock_guard lock{mutex_};
  planned_ = Planned{nth, fault};
}

std::size_t MemoryKv::unsynced() const {
  const std::lock_guard lock{mutex_};
  return now_.unsynced.size();
}

void MemoryKv::crash(std::size_t kept) {
  {
    const std::lock_guard lock{mutex_};
    for (std::size_t at = 0; at < std::min(kept, now_.unsynced.size()); ++at) apply_to(now_.durable, now_.unsynced[at]);
    now_.visible = now_.durable;
  }
  open();
}

void MemoryKv::reopen() {
  {
    const std::lock_guard lock{mutex_};
    now_.durable = now_.visible;
  }
  open();
}

void MemoryKv::open() {
  // A store in memory was written by this very program, so what it says of itself can be read.
  const auto meta = load_meta(*this, "memory").value();
  {
    const std::lock_guard lock{mutex_};
    now_.unsynced.clear();
    planned_.reset();
    broken_.reset();
    now_.commit = meta.commit;
    now_.epoch = meta.epoch + 1;
  }
  auto opening = opening_batch(meta.epoch + 1);
  static_cast<void>(keep_names_indexed(*this, opening));
  {
    const std::lock_guard lock{mutex_};
    apply_write(opening, Durability::sync);
  }
  static_cast<void>(index_names(*this));
}

MemoryKv::Snapshot MemoryKv::snapshot() const {
  const std::lock_guard lock{mutex_};
  return now_;
}

void MemoryKv::restore(Snapshot snapshot) {
  const std::lock_guard lock{mutex_};
  now_ = std::move(snapshot);
  planned_.reset();
  broken_.reset();
}

}  // namespace catena::storage
