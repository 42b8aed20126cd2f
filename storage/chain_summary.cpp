#include "storage/chain_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codec.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

std::string summary_text(const ChainSummary& summary) {
  Json json{{"name", summary.name},
            {"status", summary.status},
            {"package", summary.package},
            {"parent", summary.parent},
            {"started_at", summary.started_at},
            {"finished_at", summary.finished_at},
            {"last_sequence", summary.last_sequence},
            {"extra", summary.extra}};
  if (!summary.labels.empty()) json["labels"] = summary.labels;
  // A name that is no UTF-8 must not end the process; the id is not in here for that reason: it comes back from the key.
  return dump_lossy(json);
}

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

/// A summary as the index holds it: a list of a hundred thousand chains reads as many, and JSON would be most of what that takes.
struct IndexEntry {
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
void fields(V& v, IndexEntry& x) {
  v("name", x.name), v("status", x.status), v("package", x.package), v("parent", x.parent), v("started_at", x.started_at);
  v("finished_at", x.finished_at), v("last_sequence", x.last_sequence), v("extra", x.extra);
  v("labels", x.labels);
}

std::string index_bytes(const ChainSummary& summary) {
  return codec::to_bytes(IndexEntry{summary.name, summary.status, summary.package, summary.parent, summary.started_at, summary.finished_at,
                                    summary.last_sequence, dump_lossy(summary.extra), summary.labels});
}

Result<ChainSummary> read_index_bytes(const ChainId& chain, std::string_view bytes) {
  if (bytes.starts_with('{')) return read_summary_text(chain, bytes);  // as earlier versions wrote it
  auto entry = codec::from_bytes<IndexEntry>(bytes);
  auto extra = entry ? Json::parse(entry->extra, nullptr, false) : Json(Json::value_t::discarded);
  if (extra.is_discarded()) {
    return fail(Code::storage_corrupt,
                fmt::format("the index entry of chain '{}' cannot be read; restore the data directory from a backup", keys::printable(chain.value)));
  }
  return ChainSummary{chain,
                      std::move(entry->name),
                      std::move(entry->status),
                      std::move(entry->package),
                      std::move(entry->parent),
                      entry->started_at,
                      entry->finished_at,
                      entry->last_sequence,
                      std::move(extra),
                      std::move(entry->labels)};
}

void put_index_entry(Batch& batch, std::string_view status, const ChainSummary& summary, const std::string& bytes) {
  batch.put_with(keys::index(status, summary.started_at, summary.id), [&](std::string& out) { append_record(out, RecordKind::index, {bytes}); });
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

/// What an index entry says of its chain; nothing where the chain has no summary any more.
Result<std::optional<ChainSummary>> read_index_entry(const Kv& kv, std::string_view key, std::string_view value) {
  const auto entry = open_record(RecordKind::index, value, key);
  if (!entry) return fail(entry.error());
  const auto chain = keys::chain_of_index(key);
  if (!chain) return fail(Code::storage_corrupt, fmt::format("the index entry {} names no chain", keys::printable(key)));
  if (entry->empty()) return load_summary(kv, *chain);  // as earlier versions wrote it
  auto summary = read_index_bytes(*chain, *entry);
  if (!summary) return fail(summary.error());
  return std::move(*summary);
}

bool passes(const ChainSummary& summary, const SummaryFilter& filter) {
  const auto& wanted = filter.statuses;
  return (wanted.empty() || std::find(wanted.begin(), wanted.end(), summary.status) != wanted.end()) &&
         (filter.label.empty() || has_label(summary, filter.label)) && (!filter.name || *filter.name == summary.name) &&
         (!filter.parent || *filter.parent == summary.parent);
}

}  // namespace

Result<void> put_summary(Batch& batch, const ChainSummary& summary, const std::optional<IndexedAs>& old) {
  if (auto valid = check_chain_id(summary.id); !valid) return valid;
  const bool moved = !old || old->started_at != summary.started_at;
  if (old && moved) batch.remove(keys::index("", old->started_at, summary.id));
  if (old && (moved || old->status != summary.status)) batch.remove(keys::index(old->status, old->started_at, summary.id));
  // What a label's entry leads to is the summary, so it stays as it is when the summary changes.
  if (old && moved) each_label_entry(summary, old->started_at, [&](const std::string& key) { batch.remove(key); });
  if (moved) each_label_entry(summary, summary.started_at, [&](const std::string& key) { put_record(batch, key, RecordKind::index, {}); });
  // The index says what the summary does: a list of a hundred thousand chains is one scan, and not as many reads beside it.
  const auto entry = index_bytes(summary);
  put_index_entry(batch, "", summary, entry);
  put_index_entry(batch, summary.status, summary, entry);
  batch.put_with(keys::summary(summary.id), [&](std::string& out) { append_record(out, RecordKind::summary, {summary_text(summary)}); });
  return {};
}

void remove_summary(Batch& batch, const ChainSummary& summary) {
  batch.remove(keys::index("", summary.started_at, summary.id));
  batch.remove(keys::index(summary.status, summary.started_at, summary.id));
  each_label_entry(summary, summary.started_at, [&](const std::string& key) { batch.remove(key); });
  batch.remove(keys::summary(summary.id));
}

Result<std::optional<ChainSummary>> load_summary(const Kv& kv, const ChainId& chain) {
  if (auto valid = check_chain_id(chain); !valid) return fail(valid.error());
  const auto found = kv.get(keys::summary(chain));
  if (!found) return fail(found.error());
  if (!*found) return std::nullopt;
  const auto text = open_record(RecordKind::summary, **found, keys::summary(chain));
  if (!text) return fail(text.error());
  auto summary = read_summary_text(chain, *text);
  if (!summary) return fail(summary.error());
  return std::move(*summary);
}

Result<void> list_summaries(const Kv& kv, const SummaryFilter& filter, const SummaryVisitor& visitor) {
  // One status has an index of its own; several are picked from the index of all, which is in the right order already.
  const auto status = filter.statuses.size() == 1 ? filter.statuses.front() : std::string{};
  const auto& label = filter.label;
  auto range = label.empty() ? keys::index_of(status) : keys::label_entries_of(label);
  if (const auto& after = filter.after)
    range.from = (label.empty() ? keys::index(status, after->started_at, after->id) : keys::label_entry(label, after->started_at, after->id)) + '\0';
  Result<void> outcome;
  std::size_t count = 0;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto summary = read_index_entry(kv, key, value);
    if (!summary) {
      outcome = fail(summary.error());
      return false;
    }
    if (!*summary || !passes(**summary, filter)) return true;
    ++count;
    return visitor(**summary) && count != filter.count_max;
  });
  return scanned ? outcome : scanned;
}

Result<void> list_family(const Kv& kv, const ChainId& chain, const ChainId& after, const SummaryVisitor& visitor) {
  auto range = keys::summaries_below(chain);
  if (!after.empty()) range.from = std::max(range.from, keys::summary(after) + '\0');
  Result<void> outcome;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto id = keys::chain_of_summary(key);
    if (!id) return true;
    const auto text = open_record(RecordKind::summary, value, key);
    auto summary = text ? read_summary_text(*id, *text) : Result<ChainSummary>{fail(text.error())};
    if (!summary) {
      outcome = fail(std::move(summary).error());
      return false;
    }
    return visitor(*summary);
  });
  return scanned ? outcome : scanned;
}

}  // namespace catena::storage
