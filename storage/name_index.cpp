#include "storage/name_index.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "storage/bytes.hpp"
#include "storage/chain_summary.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

constexpr std::size_t kNameBytesMax = 200;
constexpr char kComputed = '\x01';  // no name that stands as it is begins with it
/// Behind the NUL that ends a name in a key, and before all names that it begins.
constexpr char kBehindName = '\x01';
constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // what stands for bytes that are no UTF-8
constexpr std::string_view kSpecial = "*?[\\";

/// So many different names are looked at for one pattern, and so many that fit are read together.
constexpr std::size_t kNamesLookedAtMax = 500;
constexpr std::size_t kNamesJoinedMax = 24;
constexpr std::size_t kChainsPerBatch = 5'000;

std::string marker_key() { return keys::meta("names_indexed"); }

void note_indexed(Batch& batch, std::uint64_t epoch) {
  std::string bytes;
  append_be64(bytes, epoch);
  put_record(batch, marker_key(), RecordKind::meta, bytes);
}

/// The last opening for writing under which the index was whole; 0: none.
Result<std::uint64_t> indexed_epoch(const Kv& kv) {
  const auto found = load_record(kv, marker_key(), RecordKind::meta);
  if (!found) return fail(found.error());
  if (!*found || (*found)->size() != sizeof(std::uint64_t)) return 0;
  return read_be64(**found);
}

/// What a name stands under: itself, or what is computed of it. A summary keeps a name as JSON, where bytes that are no UTF-8 are replaced: what it
/// comes back as has to lead to the same entry.
std::string indexed_name(std::string_view name) {
  bool plain = name.size() <= kNameBytesMax && name.find(kReplacement) == std::string_view::npos;
  for (std::size_t at = 0; plain && at < name.size();) {
    const auto length = utf8_length(name.substr(at));
    plain = length != 0 && static_cast<unsigned char>(name[at]) >= ' ';
    at += length;
  }
  if (plain) return std::string{name};
  return kComputed + sha256_hex(dump_lossy(Json(name)));
}

std::string prefix_of_name(std::string_view indexed) {
  auto prefix = keys::name_entries().from;
  prefix.append(indexed).push_back('\0');
  return prefix;
}

/// Visits each name that stands in the index and begins with this, once; false ends it.
template <class Visit>
Result<void> each_indexed_name(const Kv& kv, const std::string& begin, const Visit& visit) {
  const auto all = keys::name_entries();
  auto from = all.from + begin;
  while (true) {
    std::optional<std::string> name;
    const auto scanned = kv.scan(from, all.to, [&](std::string_view key, std::string_view) {
      key.remove_prefix(all.from.size());
      name = key.substr(0, key.find('\0'));
      return false;
    });
    if (!scanned) return scanned;
    if (!name || !name->starts_with(begin) || !visit(*name)) return {};
    from = prefix_of_name(*name);
    from.back() = kBehindName;
  }
}

}  // namespace

std::string name_entry(std::string_view name, UnixMillis started_at, const ChainId& chain) {
  return prefix_of_name(indexed_name(name)) + keys::index_place(started_at, chain);
}

bool fits_name(const std::string& pattern, const std::string& name) {
  if (pattern.find_first_of(kSpecial) == std::string::npos) return pattern == name;
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

Result<std::optional<std::vector<std::string>>> name_prefixes(const Kv& kv, const std::string& pattern) {
  if (pattern.find_first_not_of('*') == std::string::npos && !pattern.empty()) return std::nullopt;
  const auto whole = names_are_indexed(kv);
  if (!whole) return fail(whole.error());
  if (!*whole) return std::nullopt;
  std::vector<std::string> prefixes;
  const auto special = pattern.find_first_of(kSpecial);
  if (special == std::string::npos) {
    auto prefix = prefix_of_name(indexed_name(pattern));
    auto to = prefix;
    to.back() = kBehindName;
    const auto scanned = kv.scan(prefix, to, [&](std::string_view, std::string_view) { return prefixes.push_back(prefix), false; });
    if (!scanned) return fail(scanned.error());
    return prefixes;
  }
  std::size_t looked_at = 0;
  const auto look = [&](const std::string& name) {
    // What is computed says nothing of the name: its chains tell.
    if (name.starts_with(kComputed) || fits_name(pattern, name)) prefixes.push_back(prefix_of_name(name));
    return ++looked_at <= kNamesLookedAtMax && prefixes.size() <= kNamesJoinedMax;
  };
  if (auto read = each_indexed_name(kv, std::string{kComputed}, look); !read) return fail(std::move(read).error());
  const auto begin = pattern.substr(0, special);
  if (!begin.starts_with(kComputed)) {
    if (auto read = each_indexed_name(kv, begin, [&](const std::string& name) { return name.starts_with(kComputed) || look(name); }); !read)
      return fail(std::move(read).error());
  }
  if (looked_at > kNamesLookedAtMax || prefixes.size() > kNamesJoinedMax) return std::nullopt;
  return prefixes;
}

Result<bool> names_are_indexed(const Kv& kv) {
  const auto epoch = indexed_epoch(kv);
  if (!epoch) return fail(epoch.error());
  return *epoch == kv.epoch();
}

Result<void> keep_names_indexed(const Kv& kv, Batch& opening) {
  const auto before = indexed_epoch(kv);
  if (!before) return fail(before.error());
  if (*before + 1 == kv.epoch()) note_indexed(opening, kv.epoch());
  return {};
}

Result<void> index_names(Kv& kv) {
  const auto whole = names_are_indexed(kv);
  if (!whole) return fail(whole.error());
  if (*whole) return {};
  Batch batch;
  const auto all = keys::name_entries();
  batch.remove_range(all.from, all.to);  // of chains that may be gone
  SummaryFilter filter;
  filter.wanted = [&](const ChainSummary& chain) {
    put_record(batch, name_entry(chain.name, chain.started_at, chain.id), RecordKind::index, {});
    filter.after = IndexPlace{chain.started_at, chain.id};
    return batch.count() == kChainsPerBatch;
  };
  while (!batch.empty()) {
    if (auto written = kv.write(batch, Durability::async); !written) return written;
    batch.clear();
    const auto listed = list_summaries(kv, filter, [](const ChainSummary&) { return false; });
    // Lists go on without the index then, and `store verify` says what is damaged.
    if (!listed && listed.error().code == Code::storage_corrupt) return {};
    if (!listed) return listed;
  }
  note_indexed(batch, kv.epoch());
  return kv.write(batch, Durability::sync);
}

}  // namespace catena::storage
