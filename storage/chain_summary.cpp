#include "storage/chain_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec.hpp"
#include "storage/keys.hpp"
#include "storage/name_index.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

template <class T>
void read_field(const Json& json, const char* field, T& into) {
  const auto found = json.find(field);
  if (found == json.end()) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (found->is_string()) into = found->template get<std::string>();
  } else {
    if (found->is_number_integer()) into = found->template get<T>();
  }
}

Result<ChainSummary> read_summary_text(const ChainId& chain, std::string_view text) {
  auto json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return fail(Code::storage_corrupt, fmt::format("the summary of chain '{}' is not a JSON object; restore the data directory from a backup",
                                                   keys::printable(chain.value)));
  }
  ChainSummary summary;
  summary.id = chain;
  read_field(json, "name", summary.name);
  read_field(json, "status", summary.status);
  read_field(json, "package", summary.package);
  read_field(json, "parent", summary.parent);
  read_field(json, "started_at", summary.started_at);
  read_field(json, "finished_at", summary.finished_at);
  read_field(json, "last_sequence", summary.last_sequence);
  if (const auto extra = json.find("extra"); extra != json.end()) summary.extra = std::move(*extra);
  if (const auto labels = json.find("labels"); labels != json.end() && labels->is_object()) {
    for (const auto& [key, value] : labels->items()) read_field(*labels, key.c_str(), summary.labels[key]);
  }
  return summary;
}

/// A summary as it is stored: each turn of a chain writes one, and a list of a hundred thousand chains reads as many. The id comes back from the key.
struct StoredSummary {
  std::string name;
  std::string status;
  std::string package;
  std::string parent;
  UnixMillis started_at = 0;
  UnixMillis finished_at = 0;
  Sequence last_sequence = 0;
  std::string extra;  // JSON
  ChainLabels labels;
};
template <class V>
void fields(V& v, StoredSummary& x) {
  v("name", x.name), v("status", x.status), v("package", x.package), v("parent", x.parent), v("started_at", x.started_at);
  v("finished_at", x.finished_at), v("last_sequence", x.last_sequence), v("extra", x.extra);
  v("labels", x.labels);
}

/// The same members, to be written.
struct StoredSummaryOf {
  const ChainSummary& summary;
  const std::string& extra;
};
template <class V>
void fields(V& v, StoredSummaryOf& x) {
  const auto& [summary, extra] = x;
  v("name", summary.name), v("status", summary.status), v("package", summary.package), v("parent", summary.parent);
  v("started_at", summary.started_at), v("finished_at", summary.finished_at), v("last_sequence", summary.last_sequence), v("extra", extra);
  v("labels", summary.labels);
}

/// Whether a chain is one of a list, as far as all but its `extra` tells.
using IsListed = std::function<bool(const ChainSummary&)>;

/// Nothing for one that is not listed. `what`: the record, for the message.
Result<std::optional<ChainSummary>> read_summary_bytes(const ChainId& chain, std::string_view bytes, std::string_view what,
                                                       const IsListed& is_listed) {
  if (bytes.starts_with('{')) {  // as earlier versions wrote it
    auto summary = read_summary_text(chain, bytes);
    if (!summary) return fail(std::move(summary).error());
    return is_listed(*summary) ? std::optional{std::move(*summary)} : std::nullopt;
  }
  const auto damaged = [&] {
    return fail(Code::storage_corrupt,
                fmt::format("the {} of chain '{}' cannot be read; restore the data directory from a backup", what, keys::printable(chain.value)));
  };
  auto stored = codec::from_bytes<StoredSummary>(bytes);
  if (!stored) return damaged();
  ChainSummary summary{chain,
                       std::move(stored->name),
                       std::move(stored->status),
                       std::move(stored->package),
                       std::move(stored->parent),
                       stored->started_at,
                       stored->finished_at,
                       stored->last_sequence,
                       nullptr,
                       std::move(stored->labels)};
  if (!is_listed(summary)) return std::nullopt;
  summary.extra = Json::parse(stored->extra, nullptr, false);
  if (summary.extra.is_discarded()) return damaged();
  return summary;
}

constexpr auto kAll = [](const ChainSummary&) { return true; };

Result<std::optional<ChainSummary>> read_summary_record(const ChainId& chain, std::string_view key, std::string_view value,
                                                        const IsListed& is_listed) {
  const auto bytes = open_record(RecordKind::summary, value, key);
  if (!bytes) return fail(bytes.error());
  return read_summary_bytes(chain, *bytes, "summary", is_listed);
}

/// Nothing where there is none, or it is not listed.
Result<std::optional<ChainSummary>> load_listed(const Kv& kv, const ChainId& chain, const IsListed& is_listed) {
  if (auto valid = check_chain_id(chain); !valid) return fail(valid.error());
  const auto key = keys::summary(chain);
  const auto found = kv.get(key);
  if (!found) return fail(found.error());
  if (!*found) return std::nullopt;
  return read_summary_record(chain, key, **found, is_listed);
}

/// Both entries of each label.
template <class Visit>
void each_label_entry(const ChainSummary& summary, UnixMillis started_at, const Visit& visit) {
  for (const auto& [key, value] : summary.labels) {
    visit(keys::label_entry(fmt::format("{}={}", key, value), started_at, summary.id));
    visit(keys::label_entry(fmt::format("{}=", key), started_at, summary.id));
  }
}

/// An entry that was left behind, of a chain that had this id before, names a label that its chain does not have.
bool has_label(const ChainSummary& summary, std::string_view label) {
  const auto equals = label.find('=');
  const auto found = summary.labels.find(std::string{label.substr(0, equals)});
  if (found == summary.labels.end() || equals == std::string_view::npos) return false;
  const auto value = label.substr(equals + 1);
  return value.empty() || value == found->second;
}

bool passes(const ChainSummary& summary, const SummaryFilter& filter) {
  const auto& statuses = filter.statuses;
  return (statuses.empty() || std::ranges::find(statuses, summary.status) != statuses.end()) &&
         std::ranges::all_of(filter.labels, [&](const std::string& label) { return has_label(summary, label); }) &&
         (!filter.name || fits_name(*filter.name, summary.name)) && (!filter.parent || *filter.parent == summary.parent) &&
         (!filter.wanted || filter.wanted(summary));
}

/// What an index entry says of its chain; nothing where that is not listed, or has no summary any more.
Result<std::optional<ChainSummary>> read_index_entry(const Kv& kv, const ChainId& chain, std::string_view value, const SummaryFilter& filter) {
  const auto entry = open_record(RecordKind::index, value, chain.value);
  if (!entry) return fail(entry.error());
  const auto is_listed = [&](const ChainSummary& summary) { return passes(summary, filter); };
  if (entry->empty()) return load_listed(kv, chain, is_listed);
  bool goes_on = false;
  auto summary = read_summary_bytes(chain, *entry, "index entry", [&](const ChainSummary& held) {
    const bool listed = is_listed(held);
    goes_on = listed && held.finished_at == 0;
    return listed && !goes_on;
  });
  return goes_on && summary ? load_listed(kv, chain, is_listed) : std::move(summary);
}

/// The keys before the places of a label's entries, and of those of one status.
std::string label_prefix(const std::string& label) { return keys::label_entries_of(label).from; }
std::string status_prefix(const std::string& status) { return keys::index_of(status).from; }

}  // namespace

Result<void> put_summary(Batch& batch, const ChainSummary& summary, const std::optional<IndexedAs>& old) {
  if (auto valid = check_chain_id(summary.id); !valid) return valid;
  const bool moved = !old || old->started_at != summary.started_at;
  if (old && moved) batch.remove(keys::index("", old->started_at, summary.id));
  if (old && (moved || old->status != summary.status)) batch.remove(keys::index(old->status, old->started_at, summary.id));
  // What a label's entry leads to is the summary, so it stays as it is when the summary changes.
  if (old && moved) each_label_entry(summary, old->started_at, [&](const std::string& key) { batch.remove(key); });
  if (moved) each_label_entry(summary, summary.started_at, [&](const std::string& key) { put_record(batch, key, RecordKind::index, {}); });
  const bool renamed = old && old->name != summary.name;
  if (old && (moved || renamed)) batch.remove(name_entry(old->name, old->started_at, summary.id));
  if (moved || renamed) put_record(batch, name_entry(summary.name, summary.started_at, summary.id), RecordKind::index, {});
  const auto extra = dump_lossy(summary.extra);
  const auto stored = codec::to_bytes(StoredSummaryOf{summary, extra});
  // The index says of a chain that has ended what its summary does: a list of a hundred thousand chains is one scan, and not as many reads beside it.
  // The summary of one that runs is written at each turn, and its entries stay as they are until it comes to another status: they have all that never
  // changes.
  if (summary.finished_at != 0 || moved || renamed || old->status != summary.status) {
    put_record(batch, keys::index("", summary.started_at, summary.id), RecordKind::index, stored);
    put_record(batch, keys::index(summary.status, summary.started_at, summary.id), RecordKind::index, stored);
  }
  put_record(batch, keys::summary(summary.id), RecordKind::summary, stored);
  return {};
}

void remove_summary(Batch& batch, const ChainSummary& summary) {
  batch.remove(keys::index("", summary.started_at, summary.id));
  batch.remove(keys::index(summary.status, summary.started_at, summary.id));
  each_label_entry(summary, summary.started_at, [&](const std::string& key) { batch.remove(key); });
  batch.remove(name_entry(summary.name, summary.started_at, summary.id));
  batch.remove(keys::summary(summary.id));
}

Result<std::optional<ChainSummary>> load_summary(const Kv& kv, const ChainId& chain) { return load_listed(kv, chain, kAll); }

Result<bool> has_summary_below(const Kv& kv, const ChainId& chain) {
  const auto range = keys::summaries_below(chain);
  bool found = false;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view, std::string_view) {
    found = true;
    return false;
  });
  if (!scanned) return fail(scanned.error());
  return found;
}

Result<std::optional<IndexPlace>> walk_summaries(const Kv& kv, const SummaryFilter& filter, const WalkBound& bound, const SummaryVisitor& visitor) {
  // One status has an index of its own; several are picked from the index of all, which is in the right order already.
  IndexWalk walk;
  const bool holds_summaries = filter.labels.empty() || filter.statuses.size() == 1;
  if (holds_summaries) walk.prefixes.push_back(status_prefix(filter.statuses.size() == 1 ? filter.statuses.front() : std::string{}));
  for (const auto& label : filter.labels) walk.prefixes.push_back(label_prefix(label));
  if (filter.name) {
    auto names = name_prefixes(kv, *filter.name);
    if (!names) return fail(std::move(names).error());
    if (*names && (*names)->empty()) return std::nullopt;
    if (*names) walk.any_of = std::move(**names);
  }
  if (const auto& after = filter.after) walk.from = keys::index_place(after->started_at, after->id) + '\0';
  if (filter.since != 0) walk.to = keys::index_place(filter.since - 1, {});
  const auto of_all = status_prefix({});
  Result<void> outcome;
  std::size_t count = 0;
  const auto stopped = walk_indices(kv, walk, bound, [&](std::string_view place, std::string_view value) {
    const auto chain = keys::chain_of_index_place(place);
    std::optional<std::string> held;
    if (!holds_summaries) {
      auto found = kv.get(of_all + std::string{place});
      if (!found) return outcome = fail(std::move(found).error()), false;
      if (!*found) return true;  // left behind by a chain that had this id before
      held = std::move(*found);
    }
    if (chain.empty()) return outcome = fail(Code::storage_corrupt, fmt::format("the index entry {} names no chain", keys::printable(place))), false;
    const auto summary = read_index_entry(kv, chain, held ? std::string_view{*held} : value, filter);
    if (!summary) return outcome = fail(summary.error()), false;
    if (!*summary) return true;
    ++count;
    return visitor(**summary) && count != filter.count_max;
  });
  if (!stopped) return fail(stopped.error());
  if (!outcome) return fail(std::move(outcome).error());
  if (!*stopped) return std::nullopt;
  return IndexPlace{keys::time_of_index_place(**stopped), keys::chain_of_index_place(**stopped)};
}

Result<void> list_summaries(const Kv& kv, const SummaryFilter& filter, const SummaryVisitor& visitor) {
  const auto walked = walk_summaries(
      kv, filter, [](std::size_t) { return true; }, visitor);
  return walked ? Result<void>{} : fail(walked.error());
}

Result<void> list_family(const Kv& kv, const ChainId& chain, const ChainId& after, const SummaryVisitor& visitor) {
  auto range = keys::summaries_below(chain);
  if (!after.empty()) range.from = std::max(range.from, keys::summary(after) + '\0');
  Result<void> outcome;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto id = keys::chain_of_summary(key);
    if (!id) return true;
    auto summary = read_summary_record(*id, key, value, kAll);
    if (!summary) {
      outcome = fail(std::move(summary).error());
      return false;
    }
    return visitor(**summary);
  });
  return scanned ? outcome : scanned;
}

}  // namespace catena::storage
