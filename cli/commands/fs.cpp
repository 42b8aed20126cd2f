// catena fs VERB: the file store by hand. Verbs that read open it beside a running process; those that write take its lock. At a cluster both
// go through the coordinator.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/file_sync.hpp"
#include "cli/local_file.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/text.hpp"
#include "cli/verbs.hpp"
#include "cli/workbench.hpp"
#include "client/records.hpp"

namespace catena::cli {
namespace {

struct FsOptions {
  Place place;
  std::string path;  // in the store
  std::string file;  // local
  std::string version;
  std::string metadata;
  std::string owner;
  std::string group;
  bool long_list = false;
  bool recursive = false;
  bool remove = false;
  Form form = Form::table;  // of lists
};

std::string file_name(std::string_view path) { return std::string{path.substr(path.rfind('/') + 1)}; }

Cells file_row(const lang::FileVersion& file, const std::string& last) {
  return {file.version_id, std::to_string(file.size), iso8601(file.added_on), file.owner, file.group, last};
}

std::vector<Column> file_columns(std::string_view last) {
  return {{.title = "VERSION"},
          {.title = "SIZE", .leaves = 1},
          {.title = "ADDED", .leaves = 2},
          {.title = "OWNER", .shortens = true, .leaves = 3},
          {.title = "GROUP", .shortens = true, .leaves = 4},
          {.title = last, .shortens = true, .where = Cut::middle}};
}

/// What was done: in words for people, else as a record.
void tell_change(const FsOptions& options, const Json& record, const std::string& name, const std::string& words, Console& console) {
  if (for_people(options.form)) return console.out().line(words);
  print_record(options.form, dump_lossy(record), name, console);
}

// ---- put --------------------------------------------------------------------------------------------------------------

Result<lang::NewFile> new_file(const FsOptions& options) {
  lang::NewFile file;
  if (options.file == "-" && options.metadata == "-") return fail(Code::usage, "the file and --metadata cannot both be read from standard input");
  if (options.file == "-" && (options.path.empty() || options.path.ends_with('/'))) {
    return fail(Code::usage, "what standard input is called in the file store is not known: give a path, `catena fs put - /dir/name.txt`");
  }
  file.path = options.path.empty() ? "/" : options.path;
  if (file.path.ends_with('/')) file.path += file_name(options.file);
  if (auto valid = lang::normal_file_path(file.path); !valid) return fail(valid.error());
  if (!options.metadata.empty()) {
    const auto metadata = read_object(options.metadata, "--metadata");
    if (!metadata) return fail(metadata.error());
    file.metadata = lang::JsonView{*metadata}.parse();
  }
  auto read = read_local_file(options.file, storage::kFileBytesMax);
  if (!read) return fail(read.error());
  file.content = std::move(read->content);
  file.owner = options.owner.empty() ? std::move(read->names.owner) : options.owner;
  file.group = options.group.empty() ? std::move(read->names.group) : options.group;
  return file;
}

ExitCode put(const FsOptions& options, Console& console) {
  const auto file = new_file(options);
  if (!file) return report(console, file.error());
  const auto bench = Workbench::open(options.place, console);
  if (!bench) return report(console, bench.error());
  const auto stored = (*bench)->files().put(*file);
  if (!stored) return report(console, stored.error());
  tell_change(options, client::to_json(*stored), stored->path, fmt::format("{} {}", printable(stored->path), stored->version_id), console);
  const auto closed = (*bench)->close();
  return closed ? ExitCode::ok : report(console, closed.error());
}

// ---- get, cat ---------------------------------------------------------------------------------------------------------

/// The content in pieces, none of which is kept; of an empty file one that is empty.
Result<void> read_pieces(const Shelf& shelf, const FsOptions& options, const std::function<Result<void>(std::string_view)>& take) {
  coordinator::ReadFile ask{.path = options.path, .version_id = options.version};
  do {
    auto piece = shelf.questions->ask(ask);
    if (!piece) return fail(std::move(piece).error());
    if (auto taken = take(piece->content); !taken) return taken;
    ask.version_id = std::move(piece->version_id);
    ask.piece = piece->next;
  } while (ask.piece != 0);
  return {};
}

ExitCode cat(const FsOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto read = read_pieces(*shelf, options, [&](std::string_view piece) -> Result<void> {
    console.out().write(piece);
    return {};
  });
  return read ? ExitCode::ok : report(console, read.error());
}

/// A place for the file is made once it is known that there is one.
Result<void> fetch(const Shelf& shelf, const FsOptions& options, const std::string& target) {
  std::optional<NewLocalFile> file;
  auto read = read_pieces(shelf, options, [&](std::string_view piece) -> Result<void> {
    if (!file) {
      auto opened = NewLocalFile::open(target);
      if (!opened) return fail(opened.error());
      file.emplace(std::move(*opened));
    }
    return file->write(piece);
  });
  return read ? file->finish() : read;
}

ExitCode get(const FsOptions& options, Console& console) {
  if (options.file == "-") return cat(options, console);
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  std::error_code ignored;
  auto target = options.file.empty() ? file_name(options.path) : options.file;
  if (!options.file.empty() && std::filesystem::is_directory(target, ignored))
    target = (std::filesystem::path{target} / file_name(options.path)).string();
  if (target.empty()) return report(console, make_error(Code::file_path_invalid, fmt::format("'{}' is no path of a file", options.path)));
  const auto fetched = fetch(*shelf, options, target);
  return fetched ? ExitCode::ok : report(console, fetched.error());
}

// ---- ls, versions -----------------------------------------------------------------------------------------------------

/// Prints files as they are met, or collects what a table needs.
class Listing {
 public:
  Listing(const FsOptions& options, Console& console)
      : options_{options}, console_{console}, printer_{options.form, "path", file_columns("PATH"), console} {}

  /// False when nobody takes any more.
  bool add(const lang::FileVersion& file) {
    ++count_;
    if (in_table()) return printer_.add([&] { return client::to_json(file); }, [&] { return file_row(file, file.path); });
    console_.out().line(printable(file.path));
    return !console_.out().closed();
  }
  void add_directory(const std::string& path) {
    ++count_;
    if (!in_table()) return console_.out().line(printable(path) + "/");
    printer_.add(
        [&]() -> Json {
          return {{"path", path + "/"}, {"directory", true}};
        },
        [&]() -> Cells { return {"-", "-", "-", "-", "-", path + "/"}; });
  }
  void finish(std::string_view directory) {
    printer_.finish();
    if (count_ == 0 && console_.live()) console_.say(fmt::format("no files in {}", printable(directory)));
  }

 private:
  /// A plain list has paths alone, one a line.
  [[nodiscard]] bool in_table() const { return options_.form != Form::table || options_.long_list; }

  const FsOptions& options_;
  Console& console_;
  RecordPrinter printer_;
  std::size_t count_ = 0;
};

Result<void> list_into(client::Questions& questions, const std::string& path, bool recursive, Listing& listing) {
  return client::for_each_page(questions, {.path = path, .recursive = recursive}, [&](const coordinator::FilePage& page) {
    auto file = page.files.begin();
    if (file != page.files.end() && file->path == path && !listing.add(*file++)) return false;
    for (const auto& directory : page.directories) listing.add_directory(directory);
    for (; file != page.files.end(); ++file) {
      if (!listing.add(*file)) return false;
    }
    return true;
  });
}

ExitCode ls(const FsOptions& options, Console& console) {
  const auto path = lang::normal_file_path(options.path.empty() ? "/" : options.path);
  if (!path) return report(console, path.error());
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  Listing listing{options, console};
  if (const auto listed = list_into(*shelf->questions, *path, options.recursive, listing); !listed) return report(console, listed.error());
  listing.finish(*path);
  return ExitCode::ok;
}

ExitCode versions(const FsOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  RecordPrinter printer{options.form, "version_id", file_columns("SHA256"), console};
  coordinator::ListFileVersions ask{.path = options.path};
  do {
    auto page = shelf->questions->ask(ask);
    if (!page) return report(console, page.error());
    for (const auto& file : page->files) printer.add([&] { return client::to_json(file); }, [&] { return file_row(file, file.sha256); });
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty());
  printer.finish();
  return ExitCode::ok;
}

// ---- rm, sync ---------------------------------------------------------------------------------------------------------

/// What is to be removed, before the lock is taken and a store made for nothing.
Result<void> check_removal(const FsOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return fail(shelf.error());
  const auto path = lang::normal_file_path(options.path);
  if (!path) return fail(path.error());
  const auto first = shelf->questions->ask(coordinator::ListFiles{.path = *path, .recursive = true, .limit = 2});
  if (!first) return fail(first.error());
  const bool below = std::ranges::any_of(first->files, [&](const lang::FileVersion& file) { return file.path != *path; });
  if (below && options.recursive) return {};
  if (*path != "/") {
    if (std::ranges::any_of(first->files, [&](const lang::FileVersion& file) { return file.path == *path; })) return {};
    if (!below) {  // in words that say what may have been meant
      if (const auto there = shelf->questions->ask(coordinator::ReadFile{.path = *path}); !there) return fail(there.error());
    }
  }
  if (!below) return fail(Code::file_not_found, "the file store has no files");
  return fail(Code::usage, fmt::format("'{}' is a directory; `catena fs rm -r {}` removes what is in and below it", *path, *path));
}

Result<std::uint64_t> remove_all(lang::FileStore& files, const FsOptions& options) {
  std::uint64_t count = 0;
  if (lang::normal_file_path(options.path).value_or("/") != "/") {
    const auto removed = files.remove(options.path);
    if (!removed) return fail(removed.error());
    count += *removed ? 1 : 0;
  }
  if (!options.recursive) return count;
  return files.remove_directory(options.path).map([&](std::uint64_t below) { return count + below; });
}

ExitCode rm(const FsOptions& options, Console& console) {
  if (const auto valid = check_removal(options, console); !valid) return report(console, valid.error());
  const auto bench = Workbench::open(options.place, console);
  if (!bench) return report(console, bench.error());
  const auto count = remove_all((*bench)->files(), options);
  if (!count) return report(console, count.error());
  tell_change(options, {{"removed", *count}}, {}, counted(*count, "file") + " removed", console);
  const auto closed = (*bench)->close();
  return closed ? ExitCode::ok : report(console, closed.error());
}

ExitCode sync(const FsOptions& options, Console& console) {
  std::error_code code;
  if (!std::filesystem::is_directory(options.file, code)) {
    const auto why = code ? code.message() : std::string{"it is no directory; `catena fs put` brings one file"};
    return report(console, make_error(Code::file_unreadable, fmt::format("cannot read '{}': {}", options.file, why)));
  }
  const auto bench = Workbench::open(options.place, console);
  if (!bench) return report(console, bench.error());
  const auto counts = sync_tree({.directory = options.file, .prefix = options.path.empty() ? "/" : options.path, .remove = options.remove},
                                (*bench)->questions(), (*bench)->files());
  if (!counts) return report(console, counts.error());
  for (const auto& skipped : counts->skipped) console.say(fmt::format("skipped {}: no regular file of this tree", printable(skipped)));
  const Json record{{"added", counts->added},
                    {"changed", counts->changed},
                    {"unchanged", counts->unchanged},
                    {"removed", counts->removed},
                    {"skipped", counts->skipped.size()}};
  tell_change(options, record, {},
              fmt::format("{} added, {} changed, {} unchanged, {} removed", counts->added, counts->changed, counts->unchanged, counts->removed),
              console);
  const auto closed = (*bench)->close();
  return closed ? ExitCode::ok : report(console, closed.error());
}

// ---- options ----------------------------------------------------------------------------------------------------------

CLI::Option* add_path(CLI::App& app, FsOptions& options, const std::string& meaning) {
  return app.add_option("path", options.path, meaning)->option_text("PATH");
}

void add_version(CLI::App& app, FsOptions& options) {
  app.add_option("--version", options.version, "an older version, like v1 (default: the latest)")->option_text("V");
}

void define_put(CLI::App& app, FsOptions& options) {
  app.add_option("file", options.file, "a local file, or - for standard input")->required()->option_text("FILE");
  add_path(app, options, "where it goes; with a '/' at its end the directory (default: /NAME)");
  app.add_option("--metadata", options.metadata, "kept with the file: a JSON object, @FILE, or -")->option_text("JSON|@FILE");
  app.add_option("--owner", options.owner, "default: the local file's")->option_text("NAME");
  app.add_option("--group", options.group, "default: the local file's")->option_text("NAME");
  add_text_output(app, options.form, "its path");
}

void define_get(CLI::App& app, FsOptions& options) {
  add_path(app, options, "of the file")->required();
  add_file_output(app, options.file, "the local file, a directory, or - for standard output (default: its name, here)");
  add_version(app, options);
}

void define_cat(CLI::App& app, FsOptions& options) {
  add_path(app, options, "of the file")->required();
  add_version(app, options);
}

void define_ls(CLI::App& app, FsOptions& options) {
  add_path(app, options, "a directory or a file (default: /)");
  app.add_flag("-l,--long", options.long_list, "version, size, time and owner of each");
  app.add_flag("--recursive", options.recursive, "also what is below");
  auto* form = add_record_output(app, options.form, "paths");
  app.add_flag_callback(
         "--json", [&options] { options.form = Form::json; }, "an object a line, as -o json")
      ->excludes(form);
}

void define_versions(CLI::App& app, FsOptions& options) {
  add_path(app, options, "of the file; it may have been removed")->required();
  add_record_output(app, options.form, "version ids");
}

void define_rm(CLI::App& app, FsOptions& options) {
  add_path(app, options, "of the file; its versions can still be read by their ids")->required();
  app.add_flag("-r,--recursive", options.recursive, "a directory with all that is below it");
  add_text_output(app, options.form, "");
}

void define_sync(CLI::App& app, FsOptions& options) {
  app.add_option("dir", options.file, "a local directory")->required()->option_text("DIR");
  app.add_option("prefix", options.path, "the directory in the file store (default: /)")->option_text("PREFIX");
  app.add_flag("--delete", options.remove, "remove what is below the prefix and not in the directory");
  add_text_output(app, options.form, "");
}

constexpr CommandVerb<FsOptions> kFsVerbs[]{
    {"put", "put a local file into the store, as a new version", define_put, put},
    {"get", "write a file of the store to a local one", define_get, get},
    {"cat", "print a file", define_cat, cat},
    {"ls", "list the files of a directory", define_ls, ls},
    {"versions", "list the versions of a file, newest first", define_versions, versions},
    {"rm", "remove a file or a directory", define_rm, rm},
    {"sync", "bring a local directory into the store", define_sync, sync},
};

}  // namespace

Action define_fs(CLI::App& app) {
  return define_verbs<FsOptions>(app, kFsVerbs, [](CLI::App& verb, FsOptions& options) { add_place(verb, options.place); });
}

}  // namespace catena::cli
