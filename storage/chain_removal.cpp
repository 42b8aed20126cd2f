#include "storage/chain_removal.hpp"

#include <fmt/format.h>

#include <string>

#include "storage/bytes.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

/// Up to so many keys of a range are removed one by one: a range that is remembered costs later reads more than they do.
constexpr std::size_t kKeysOneByOne = 128;

std::string removal_count_key() { return keys::meta("removed_chains"); }

Result<void> remove_keys(const Kv& kv, Batch& batch, const keys::Range& range) {
  std::vector<std::string> found;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view) {
    found.emplace_back(key);
    return found.size() <= kKeysOneByOne;
  });
  if (!scanned) return scanned;
  if (found.size() > kKeysOneByOne) {
    batch.remove_range(range.from, range.to);
    return {};
  }
  for (const auto& key : found) batch.remove(key);
  return {};
}

Result<bool> has_keys(const Kv& kv, const keys::Range& range) {
  bool any = false;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view, std::string_view) {
    any = true;
    return false;
  });
  if (!scanned) return fail(scanned.error());
  return any;
}

}  // namespace

Result<Removal> begin_removal(const Kv& kv, Batch& batch, const ChainSummary& summary) {
  for (const auto& range : keys::all_of_chain(summary.id)) {
    if (auto removed = remove_keys(kv, batch, range); !removed) return fail(std::move(removed).error());
  }
  remove_summary(batch, summary);
  const auto family = has_keys(kv, keys::summaries_below(summary.id));
  if (!family) return fail(family.error());
  if (!*family) return Removal::over;
  for (const auto& range : keys::all_below_chain(summary.id)) {
    if (auto removed = remove_keys(kv, batch, range); !removed) return fail(std::move(removed).error());
  }
  put_record(batch, keys::removal(summary.id), RecordKind::removal, {});
  return Removal::goes_on;
}

Result<Removal> continue_removal(const Kv& kv, Batch& batch, const ChainId& chain, std::size_t chains_max) {
  std::size_t count = 0;
  bool more = false;
  const auto range = keys::summaries_below(chain);
  Result<void> outcome;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view) {
    if (count++ == chains_max) {
      more = true;
      return false;
    }
    const auto id = keys::chain_of_summary(key);
    const auto summary = id ? load_summary(kv, *id) : Result<std::optional<ChainSummary>>{};
    // What a damaged summary says of its place in the index is not known: `store verify` finds an entry that is left.
    if (summary && *summary) {
      remove_summary(batch, **summary);
    } else if (summary || summary.error().code == Code::storage_corrupt) {
      batch.remove(key);
    } else {
      outcome = fail(summary.error());
    }
    return outcome.has_value();
  });
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  if (more) return Removal::goes_on;
  // Of one that never began: its own records.
  for (const auto& own : keys::all_of_chain(chain)) {
    if (auto removed = remove_keys(kv, batch, own); !removed) return fail(std::move(removed).error());
  }
  batch.remove(keys::removal(chain));
  return Removal::over;
}

namespace {

template <class Wanted>
Result<std::vector<ChainId>> list_marked(const Kv& kv, Wanted wanted) {
  std::vector<ChainId> chains;
  const auto range = keys::removals();
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    auto chain = keys::chain_of_removal(key);
    if (chain && wanted(key, value)) chains.push_back(std::move(*chain));
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return chains;
}

}  // namespace

Result<std::vector<ChainId>> list_removals(const Kv& kv) {
  return list_marked(kv, [](std::string_view, std::string_view) { return true; });
}

Result<std::vector<ChainId>> list_left_removals(const Kv& kv) {
  std::string now;
  append_be64(now, kv.epoch());
  return list_marked(kv, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(RecordKind::removal, value, key);
    return !payload || *payload != now;
  });
}

void put_unborn(Batch& batch, const ChainId& chain, std::uint64_t epoch) {
  std::string bytes;
  append_be64(bytes, epoch);
  put_record(batch, keys::removal(chain), RecordKind::removal, bytes);
}

void remove_unborn(Batch& batch, const ChainId& chain) { batch.remove(keys::removal(chain)); }

Result<bool> is_being_removed(const Kv& kv, const ChainId& chain) {
  return kv.get(keys::removal(chain)).map([](const auto& mark) { return mark.has_value(); });
}

Result<std::uint64_t> load_removal_count(const Kv& kv) {
  const auto record = load_record(kv, removal_count_key(), RecordKind::meta);
  if (!record) return fail(record.error());
  if (!*record) return 0;
  if ((*record)->size() != sizeof(std::uint64_t)) return fail(Code::storage_corrupt, "the count of removed chains is not a number");
  return read_be64(**record);
}

void put_removal_count(Batch& batch, std::uint64_t count) {
  std::string bytes;
  append_be64(bytes, count);
  put_record(batch, removal_count_key(), RecordKind::meta, bytes);
}

}  // namespace catena::storage
