#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "base/clock.hpp"
#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "cli/show/table.hpp"
#include "cli/show/text.hpp"
#include "cli/still_copy.hpp"
#include "cli/verbs.hpp"
#include "coordinator/collection.hpp"
#include "coordinator/verify.hpp"
#include "link/secrets.hpp"
#include "storage/chain_summary.hpp"
#include "storage/keys.hpp"
#include "storage/lineage.hpp"
#include "storage/meta.hpp"
#include "storage/rocks_backup.hpp"
#include "storage/rocks_kv.hpp"

namespace catena::cli {
namespace {

namespace keys = storage::keys;

struct StoreOptions {
  std::string data_dir;
  Form form = Form::table;
  std::string directory;
};

Result<StillCopy> open_to_read(const StoreOptions& options) {
  const auto directory = data_directory(options.data_dir);
  if (!directory) return fail(directory.error());
  return StillCopy::open(*directory);
}

/// What was done or found: in words on stderr for people, else as one record.
void tell(const StoreOptions& options, const Json& record, const std::string& words, Console& console) {
  if (for_people(options.form)) return console.say(words);
  print_record(options.form, dump_lossy(record), {}, console);
}

// ---- stats ----------------------------------------------------------------------------------------------------------

struct SpaceCount {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;
};

struct StoreCounts {
  std::map<std::string, SpaceCount> spaces;
  std::map<std::string, std::uint64_t> chains;
  coordinator::Uncollected uncollected;
};

Result<StoreCounts> count_store(const storage::Kv& kv) {
  StoreCounts counts;
  auto scanned = kv.scan("", "", [&](std::string_view key, std::string_view value) {
    auto& space = counts.spaces[std::string{keys::kSpaceNames[static_cast<std::size_t>(keys::space_of(key))]}];
    ++space.records;
    space.bytes += key.size() + value.size();
    return !Interrupt::requested();
  });
  if (!scanned) return fail(scanned.error());
  scanned = storage::list_summaries(kv, {}, [&](const storage::ChainSummary& summary) {
    ++counts.chains[summary.status];
    return !Interrupt::requested();
  });
  if (!scanned) return fail(scanned.error());
  auto uncollected = coordinator::find_uncollected(kv);
  if (!uncollected) return fail(uncollected.error());
  counts.uncollected = *uncollected;
  return counts;
}

ExitCode show_stats(const StoreOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto store = open_to_read(options);
  if (!store) return report(console, store.error());
  const auto counts = count_store(store->kv());
  if (!counts) return report(console, counts.error());
  if (Interrupt::requested()) return ExitCode::interrupted;
  if (!for_people(options.form)) {
    Json json{{"records", Json::object()}, {"chains", counts->chains}};
    for (const auto& [name, space] : counts->spaces) json["records"][name] = {{"count", space.records}, {"bytes", space.bytes}};
    json["to_collect"] = {{"contents", counts->uncollected.contents}, {"bytes", counts->uncollected.bytes}};
    print_record(options.form, dump_lossy(json), {}, console);
    return ExitCode::ok;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, space] : counts->spaces) rows.push_back({name, std::to_string(space.records), std::to_string(space.bytes)});
  console.out().write(table({{.title = "RECORDS"}, {.title = "COUNT"}, {.title = "BYTES"}}, rows, console.room()));
  rows.clear();
  for (const auto& [status, chains] : counts->chains) rows.push_back({status, std::to_string(chains)});
  if (!rows.empty()) console.out().write("\n" + table({{.title = "CHAINS"}, {.title = "COUNT"}}, rows, console.room()));
  console.out().line(fmt::format("\nnothing refers to {} ({} bytes): they are removed in the course of time, or by `catena store compact`",
                                 counted(counts->uncollected.contents, "content"), counts->uncollected.bytes));
  return ExitCode::ok;
}

// ---- verify, compact ------------------------------------------------------------------------------------------------

ExitCode verify(const StoreOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto store = open_to_read(options);
  if (!store) return report(console, store.error());
  const auto verified = coordinator::verify_store(store->kv(), catalog(), [&](const std::string& what) {
    console.draw(what);
    return !Interrupt::requested();
  });
  console.draw("");
  if (!verified) return Interrupt::requested() ? ExitCode::interrupted : report(console, verified.error());
  if (for_people(options.form)) {
    for (const auto& problem : verified->problems) console.out().line(printable(problem));
    if (verified->problems_all > verified->problems.size())
      console.out().line(fmt::format("and {} more", verified->problems_all - verified->problems.size()));
    console.out().flush();
  }
  tell(options,
       {{"problems", verified->problems},
        {"problems_all", verified->problems_all},
        {"records", verified->records},
        {"chains", verified->chains},
        {"contents", verified->contents}},
       fmt::format("{}: {}, {}, {}", verified->problems_all == 0 ? "all is well" : counted(verified->problems_all, "problem"),
                   counted(verified->records, "record"), counted(verified->chains, "chain"), counted(verified->contents, "content")),
       console);
  if (verified->problems_all == 0) return ExitCode::ok;
  console.say("restore the data directory from a backup (`catena store restore`), or remove the chains that are named");
  return ExitCode::failed;
}

ExitCode compact(const StoreOptions& options, Console& console) {
  const auto directory = data_directory(options.data_dir);
  if (!directory) return report(console, directory.error());
  const auto kv = storage::RocksKv::open(*directory, {.create = false});
  if (!kv) {
    auto error = kv.error();
    if (error.code == Code::storage_locked)
      error.notes.emplace_back("a process that runs collects and compacts by itself, a little at a time; stop it to have all of it done at once");
    return report(console, error);
  }
  const auto removed = coordinator::collect_all(**kv);
  if (!removed) return report(console, removed.error());
  if (const auto compacted = (*kv)->compact(); !compacted) return report(console, compacted.error());
  if (const auto marked = storage::mark_end_in_order(**kv); !marked) return report(console, marked.error());
  if (const auto closed = (*kv)->close(); !closed) return report(console, closed.error());
  tell(options, {{"removed", *removed}}, fmt::format("removed {} that nothing referred to; everything is written anew", counted(*removed, "content")),
       console);
  return ExitCode::ok;
}

// ---- backup, restore ------------------------------------------------------------------------------------------------

std::string backup_words(const storage::BackupInfo& info) {
  return fmt::format("{} with {} bytes ({} of them copied), up to commit {}", counted(info.files, "file"), info.bytes, info.copied, info.commit);
}

Json backup_json(const std::string& directory, const storage::BackupInfo& info) {
  return {{"directory", directory}, {"files", info.files}, {"bytes", info.bytes}, {"copied", info.copied}, {"commit", info.commit}};
}

ExitCode back_up(const StoreOptions& options, Console& console) {
  const auto directory = data_directory(options.data_dir);
  if (!directory) return report(console, directory.error());
  const auto info = storage::back_up(*directory, options.directory);
  if (!info) return report(console, info.error());
  tell(options, backup_json(options.directory, *info), fmt::format("'{}' holds {}", options.directory, backup_words(*info)), console);
  return ExitCode::ok;
}

/// Whoever worked for the store since then remembers more than it has: a person has said now that this is how it is to be.
Result<void> begin_restored_life(const std::filesystem::path& prepared) {
  constexpr std::size_t kWordBytes = 8;
  constexpr std::size_t kSecretBytes = 32;
  auto word = link::random_hex(kWordBytes);
  if (!word) return fail(std::move(word).error());
  auto secret = link::random_hex(kSecretBytes);
  if (!secret) return fail(std::move(secret).error());
  const auto kv = storage::RocksKv::open(prepared, {.create = false, .accept_rewound = true});
  if (!kv) return fail(kv.error());
  const auto life = storage::begin_life(**kv, {storage::life_word(SystemClock{}.now(), *word), std::move(*secret), /*accepts_loss=*/true});
  if (!life) return fail(life.error());
  // Its chains were in the middle of something, through no fault of theirs: no strike for them.
  if (auto marked = storage::mark_end_in_order(**kv); !marked) return marked;
  return (*kv)->close();
}

ExitCode restore(const StoreOptions& options, Console& console) {
  const auto directory = data_directory(options.data_dir);
  if (!directory) return report(console, directory.error());
  const auto info = storage::restore_backup(options.directory, *directory, begin_restored_life);
  if (!info) return report(console, info.error());
  tell(options, backup_json(*directory, *info),
       fmt::format("'{}' holds {}; `catena resume` or a coordinator goes on with its chains", *directory, backup_words(*info)), console);
  return ExitCode::ok;
}

void define_nothing(CLI::App&, StoreOptions&) {}

void define_back_up(CLI::App& app, StoreOptions& options) {
  app.add_option("directory", options.directory, "the copy; it must not be there")->required()->option_text("DIR");
}

void define_restore(CLI::App& app, StoreOptions& options) {
  app.add_option("directory", options.directory, "the backup")->required()->option_text("DIR");
}

void define_common(CLI::App& app, StoreOptions& options) {
  add_data_dir(app, options.data_dir);
  add_text_output(app, options.form, "");
}

constexpr CommandVerb<StoreOptions> kStoreVerbs[]{
    {"stats", "count what is kept, and what nothing refers to", define_nothing, show_stats},
    {"verify", "check every record, and that all that is named is there; also beside a process that runs", define_nothing, verify},
    {"compact", "remove what nothing refers to, and give its place on the disk free", define_nothing, compact},
    {"backup", "copy the data directory, also while a process runs its chains", define_back_up, back_up},
    {"restore", "make a data directory from a backup", define_restore, restore},
};

}  // namespace

Action define_store(CLI::App& app) { return define_verbs<StoreOptions>(app, kStoreVerbs, define_common); }

}  // namespace catena::cli
