#include "coordinator/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/hash.hpp"
#include "coordinator/recover.hpp"
#include "storage/chain_removal.hpp"
#include "storage/chain_store.hpp"
#include "storage/file_store.hpp"
#include "storage/keys.hpp"
#include "storage/name_index.hpp"
#include "storage/record.hpp"
#include "storage/submission_keys.hpp"

namespace catena::coordinator {
namespace {

namespace keys = storage::keys;
using storage::RecordKind;

constexpr std::size_t kProblemsKept = 1'000;
constexpr std::uint64_t kTellEvery = 20'000;
constexpr std::string_view kFilePrefix = "file-";

std::vector<RecordKind> kinds_in(keys::Space space) {
  using enum keys::Space;
  switch (space) {
    case meta: return {RecordKind::meta};
    case packages: return {RecordKind::package};
    case summaries: return {RecordKind::summary};
    case journal: return {RecordKind::event, RecordKind::events};
    case ledger: return {RecordKind::item};
    case inputs: return {RecordKind::inputs};
    case checkpoints: return {RecordKind::checkpoint};
    case blobs: return {RecordKind::blob};
    case index: return {RecordKind::index};
    case files: return {RecordKind::file};
    case file_versions: return {RecordKind::file_version};
    case file_puts: return {RecordKind::file_put};
    case removals: return {RecordKind::removal};
    case logs: return {RecordKind::log};
    case feed: return {RecordKind::notice, RecordKind::notices};
    case labels: return {RecordKind::index};
    case submissions: return {RecordKind::submission};
    case audit: return {RecordKind::audit};
    case outbox: return {RecordKind::delivery, RecordKind::delivery_body};
    case schedules: return {RecordKind::schedule, RecordKind::schedule_state};
    case names: return {RecordKind::index};
    case approvals: return {RecordKind::approval};
    case notes: return {RecordKind::task_checkpoint, RecordKind::task_progress};
    case unknown: return {};
  }
  return {};
}

class Verifier {
 public:
  Verifier(const storage::Kv& kv, const lang::Catalog& catalog, const VerifyWatcher& tell) : kv_{kv}, catalog_{catalog}, tell_{tell} {}

  Result<Verification> run() {
    for (const auto step : {&Verifier::check_records, &Verifier::check_chains, &Verifier::check_index, &Verifier::check_labels,
                            &Verifier::check_names, &Verifier::check_submissions, &Verifier::check_files, &Verifier::check_contents}) {
      if (auto done = (this->*step)(); !done) return fail(std::move(done).error());
    }
    return std::move(found_);
  }

 private:
  void problem(std::string words) {
    ++found_.problems_all;
    if (found_.problems.size() < kProblemsKept) found_.problems.push_back(std::move(words));
  }
  /// An error of the store ends the look, unless it is about one damaged record.
  Result<void> damage(const Error& error) {
    if (error.code == Code::storage_io) return fail(error);
    problem(error.message);
    return {};
  }
  Result<void> tell(std::string_view what, std::uint64_t count) {
    if (!tell_ || count % kTellEvery != 0 || tell_(fmt::format("{} {}", count, what))) return {};
    return fail(Code::cancelled, "interrupted");
  }
  template <class Visit>
  Result<void> each_record(const keys::Range& range, Visit&& visit) {
    Result<void> outcome;
    const auto scanned = kv_.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
      outcome = visit(key, value);
      return outcome.has_value();
    });
    return scanned ? outcome : scanned;
  }

  Result<void> check_records() {
    return each_record({"", ""}, [&](std::string_view key, std::string_view value) -> Result<void> {
      const auto kinds = kinds_in(keys::space_of(key));
      ++found_.records;
      if (auto go_on = tell("records", found_.records); !go_on) return go_on;
      std::optional<Error> wrong;
      for (const auto kind : kinds) {
        const auto opened = storage::open_record(kind, value, key);
        if (opened) return {};
        wrong = opened.error();
      }
      return wrong ? damage(*wrong) : Result<void>{};
    });
  }

  Result<void> check_chains() {
    auto removals = storage::list_removals(kv_);
    if (!removals) return fail(std::move(removals).error());
    for (auto& chain : *removals) removing_.insert(std::move(chain.value));
    auto read = each_record(keys::summaries(), [&](std::string_view key, std::string_view) -> Result<void> {
      const auto chain = keys::chain_of_summary(key);
      if (!chain) {
        problem(fmt::format("the summary at {} names no chain", keys::printable(key)));
        return {};
      }
      if (auto go_on = tell("chains", ++found_.chains); !go_on) return go_on;
      if (is_going(chain->value)) return {};
      return check_chain(*chain);
    });
    if (!read) return read;
    return check_strays();
  }

  /// What is left of a family that is being removed is its place in the index.
  [[nodiscard]] bool is_going(const std::string& chain) const { return removing_.contains(chain.substr(0, chain.find('/'))); }

  Result<void> check_chain(const ChainId& chain) {
    const auto name = fmt::format("chain '{}'", keys::printable(chain.value));
    const auto recovered = recover_state(kv_, chain);
    if (!recovered) return damage(recovered.error());
    const auto& [summary, state] = std::tie(recovered->summary, recovered->state);
    const bool set_aside = summary.status == engine::name(engine::ChainStatus::quarantined);
    if (!set_aside && summary.status != engine::name(state.status))
      problem(fmt::format("the summary of {} says {}, its journal {}", name, summary.status, engine::name(state.status)));
    if (summary.last_sequence > state.seq)
      problem(fmt::format("the journal of {} ends at event {}, its summary knows of event {}", name, state.seq, summary.last_sequence));
    need_package(state.package, name);
    // All of the journal, also what a checkpoint covers.
    Result<void> outcome;
    const auto loaded = storage::load_events(kv_, chain, 1, [&](Sequence, std::uint32_t, std::string_view payload) {
      need_values_in(Json::from_msgpack(payload.begin(), payload.end(), true, false), name);
      return true;
    });
    if (!loaded) return damage(loaded.error());
    if (*loaded != state.seq) problem(fmt::format("the journal of {} has {} events, its checkpoint {}", name, *loaded, state.seq));
    const auto below = keys::all_of_chain(chain);
    for (const auto& range : below) {
      auto items = each_record(range, [&](std::string_view key, std::string_view value) -> Result<void> {
        if (keys::space_of(key) != keys::Space::ledger) return {};
        const auto payload = storage::open_record(RecordKind::item, value, key);
        if (!payload) return {};  // told already
        const auto item = storage::decode_item(*payload);
        if (!item) return damage(item.error());
        if (!item->blob.empty()) need(item->blob, name);
        return {};
      });
      if (!items) return items;
    }
    return {};
  }

  /// Values that a record names are objects with the hash in `blob`.
  void need_values_in(const Json& json, const std::string& chain) {
    if (json.is_object()) {
      const auto blob = json.find("blob");
      if (blob != json.end() && blob->is_string() && json.contains("bytes")) need(blob->get<std::string>(), chain);
    }
    if (!json.is_structured()) return;
    for (const auto& member : json) need_values_in(member, chain);
  }

  void need(const std::string& hash, const std::string& chain) {
    if (!hash.empty()) needed_.try_emplace(hash, chain);
  }

  void need_package(const std::string& hash, const std::string& chain) {
    if (!packages_.insert(hash).second) return;
    const auto package = recover_package(kv_, hash, catalog_);
    if (!package) return problem(fmt::format("{}: {}", chain, package.error().message));
    for (const auto& [path, program] : (*package)->pinned) need(program, chain);
    for (const auto& [key, bundle] : (*package)->bundled) need(bundle.hash, chain);
  }

  /// Journals and ledgers of chains that have no summary.
  Result<void> check_strays() {
    std::string last;
    return each_record(keys::Range{"", ""}, [&](std::string_view key, std::string_view) -> Result<void> {
      const auto space = keys::space_of(key);
      using enum keys::Space;
      if (space != journal && space != ledger && space != inputs && space != checkpoints) return {};
      const auto chain = key.substr(1, std::min(key.find('\0'), key.size()) - 1);
      if (chain == last) return {};
      last = chain;
      const auto summary = kv_.get(keys::summary(ChainId{last}));
      if (!summary) return fail(summary.error());
      if (!*summary && !is_going(last)) problem(fmt::format("there are records of a chain '{}', and no summary", keys::printable(last)));
      return {};
    });
  }

  Result<void> check_index() {
    std::vector<std::string> statuses{{}};
    for (const auto name : engine::kChainStatusNames) statuses.emplace_back(name);
    std::uint64_t listed = 0;
    std::uint64_t by_status = 0;
    for (const auto& status : statuses) {
      storage::SummaryFilter filter;
      if (!status.empty()) filter.statuses = {status};
      Result<void> outcome;
      const auto scanned = storage::list_summaries(kv_, filter, [&](const storage::ChainSummary& entry) {
        ++(status.empty() ? listed : by_status);
        if (status.empty()) label_entries_ += 2 * entry.labels.size();
        const auto summary = storage::load_summary(kv_, entry.id);
        if (!summary) {
          outcome = damage(summary.error());
        } else if (!*summary) {
          problem(fmt::format("the index names a chain '{}' that is not there", keys::printable(entry.id.value)));
        } else if (**summary != entry) {
          problem(fmt::format("the index and the summary of chain '{}' differ", keys::printable(entry.id.value)));
        }
        return outcome.has_value();
      });
      if (!outcome) return outcome;
      if (!scanned) {
        if (auto told = damage(scanned.error()); !told) return told;
      }
    }
    if (listed != found_.chains || by_status != found_.chains) {
      problem(
          fmt::format("there are {} summaries, {} entries in the index of all chains and {} in those by status", found_.chains, listed, by_status));
    }
    return {};
  }

  /// Each label of a chain has two entries, and there are no others.
  Result<void> check_labels() {
    std::uint64_t entries = 0;
    auto read = each_record(keys::label_entries(), [&](std::string_view key, std::string_view) -> Result<void> {
      ++entries;
      const auto chain = keys::chain_of_index(key);
      const std::string label{keys::label_of_entry(key)};
      const auto equals = label.find('=');
      if (!chain || equals == std::string::npos) {
        problem(fmt::format("the label entry at {} names no chain", keys::printable(key)));
        return {};
      }
      const auto summary = storage::load_summary(kv_, *chain);
      if (!summary) return damage(summary.error());
      const auto value = label.substr(equals + 1);
      const auto found = *summary ? (*summary)->labels.find(label.substr(0, equals)) : ChainLabels::const_iterator{};
      const bool right = *summary && found != (*summary)->labels.end() && (value.empty() || value == found->second) &&
                         key == keys::label_entry(label, (*summary)->started_at, *chain);
      if (!right) problem(fmt::format("the index of labels has '{}' for chain '{}', which does not have it", label, keys::printable(chain->value)));
      return {};
    });
    if (!read) return read;
    if (entries < label_entries_) problem(fmt::format("{} entries of labels are missing from their index", label_entries_ - entries));
    return {};
  }

  /// Each chain has one entry, under the name that it has. A store that an older catena had last is without them until it is opened for writing.
  Result<void> check_names() {
    const auto indexed = storage::names_are_indexed(kv_);
    if (!indexed) return fail(indexed.error());
    if (!*indexed) return {};
    std::uint64_t entries = 0;
    auto read = each_record(keys::name_entries(), [&](std::string_view key, std::string_view) -> Result<void> {
      ++entries;
      const auto chain = keys::chain_of_index(key);
      if (!chain) {
        problem(fmt::format("the name entry at {} names no chain", keys::printable(key)));
        return {};
      }
      const auto summary = storage::load_summary(kv_, *chain);
      if (!summary) return damage(summary.error());
      if (!*summary || key != storage::name_entry((*summary)->name, (*summary)->started_at, *chain))
        problem(fmt::format("the index of names has {}, where chain '{}' is not", keys::printable(key), keys::printable(chain->value)));
      return {};
    });
    if (!read) return read;
    if (entries < found_.chains) problem(fmt::format("{} entries of names are missing from their index", found_.chains - entries));
    return {};
  }

  /// Each key of a submission has its end, or it would be kept for ever.
  Result<void> check_submissions() {
    return each_record(keys::submissions(), [&](std::string_view at, std::string_view) -> Result<void> {
      const auto key = at.substr(std::min<std::size_t>(2, at.size()));
      const auto submission = storage::load_submission(kv_, key);
      if (!submission) return damage(submission.error());
      const auto end = kv_.get(keys::submission_end((*submission)->expires_at, key));
      if (!end) return fail(end.error());
      if (!*end) problem(fmt::format("the submission key {} has no end", keys::printable(key)));
      return {};
    });
  }

  Result<void> check_files() {
    return each_record(keys::file_versions_all(), [&](std::string_view key, std::string_view) -> Result<void> {
      const auto end = key.find('\0');
      const auto version = keys::version_of_file(key);
      if (end == std::string_view::npos || !version) {
        problem(fmt::format("the file version at {} names no file", keys::printable(key)));
        return {};
      }
      const std::string path{key.substr(1, end - 1)};
      const auto record = storage::load_file_version(kv_, path, *version);
      if (!record) return damage(record.error());
      if (!*record) return {};
      if ((*record)->size > 0)
        need(std::string{kFilePrefix} + (*record)->sha256, fmt::format("version {} of file '{}'", *version, keys::printable(path)));
      return {};
    });
  }

  /// Packages and blobs have the hash that they stand under, and those that are needed are there.
  Result<void> check_contents() {
    auto read = each_record(keys::packages(), [&](std::string_view key, std::string_view value) -> Result<void> {
      ++found_.contents;
      const auto payload = storage::open_record(RecordKind::package, value, key);
      if (payload && sha256_hex(*payload) != keys::hash_of_package(key))
        problem(fmt::format("the package {} has another content than its hash says", keys::hash_of_package(key)));
      return {};
    });
    if (!read) return read;
    std::string name;
    std::string content;
    const auto settle = [&] {
      if (name.empty()) return;
      ++found_.contents;
      // What a crash left of a content that nothing names yet may be a part of it.
      if (const auto needed = needed_.extract(name)) {
        const auto hash = name.starts_with(kFilePrefix) ? name.substr(kFilePrefix.size()) : name;
        if (sha256_hex(content) != hash) problem(fmt::format("the content {} of {} is another than its hash says", name, needed.mapped()));
      }
      content.clear();
    };
    read = each_record(keys::blobs(), [&](std::string_view key, std::string_view value) -> Result<void> {
      const auto of = keys::name_of_blob(key);
      if (of != name) {
        settle();
        name = of;
        if (auto go_on = tell("contents", found_.contents + 1); !go_on) return go_on;
      }
      if (const auto payload = storage::open_record(RecordKind::blob, value, key)) content += *payload;
      return {};
    });
    if (!read) return read;
    settle();
    for (const auto& [hash, chain] : needed_) problem(fmt::format("the content {} of {} is missing", hash, chain));
    return {};
  }

  const storage::Kv& kv_;
  const lang::Catalog& catalog_;
  const VerifyWatcher& tell_;
  Verification found_;
  std::set<std::string> removing_;
  std::uint64_t label_entries_ = 0;
  std::set<std::string> packages_;
  std::unordered_map<std::string, std::string> needed_;  // hash to what names it
};

}  // namespace

Result<Verification> verify_store(const storage::Kv& kv, const lang::Catalog& catalog, const VerifyWatcher& tell) {
  return Verifier{kv, catalog, tell}.run();
}

}  // namespace catena::coordinator
