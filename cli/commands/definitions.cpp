// catena definitions VERB: the definitions that a coordinator, or a data directory, keeps for whoever submits.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/local_file.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/records.hpp"
#include "cli/show/text.hpp"
#include "cli/verbs.hpp"
#include "cli/workbench.hpp"
#include "client/records.hpp"
#include "coordinator/stored_definitions.hpp"
#include "lang/package/definition_name.hpp"

namespace catena::cli {
namespace {

struct DefinitionsOptions {
  Place place;
  std::string file;
  std::string name;
  std::string version;
  std::string if_version;
  std::string reason;
  std::vector<std::string> tools;
  bool check = false;
  Form form = Form::table;
};

/// "new": there must be none.
coordinator::ExpectedVersion expected_by(const DefinitionsOptions& options) {
  if (options.if_version.empty()) return std::nullopt;
  return options.if_version == "new" ? std::string{} : options.if_version;
}

/// What a command names is not there, as with chains and files.
ExitCode report_stored(Console& console, const Error& error) {
  const auto code = report(console, error);
  return error.code == Code::definition_not_found ? ExitCode::not_found : code;
}

// ---- list, show ---------------------------------------------------------------------------------------------------------

ExitCode list_stored(const DefinitionsOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  RecordPrinter printer{options.form,
                        "name",
                        {{.title = "NAME", .shortens = true},
                         {.title = "VERSION"},
                         {.title = "DIALECT", .leaves = 1},
                         {.title = "STORED", .leaves = 2},
                         {.title = "BY", .shortens = true, .leaves = 3},
                         {.title = "MEANING", .shortens = true}},
                        console};
  const auto listed = client::for_each_page(
      *shelf->questions, {.path = std::string{coordinator::kDefinitionsFolder}, .recursive = true}, [&](const coordinator::FilePage& page) {
        for (const auto& file : page.files) {
          const bool wanted = printer.add(
              [&] { return client::definition_json(file); },
              [&]() -> Cells {
                return {
                    coordinator::definition_at(file.path), file.version_id, file.metadata.value("dialect", ""), iso8601(file.added_on), file.owner,
                    file.metadata.value("description", "")};
              });
          if (!wanted) return false;
        }
        return true;
      });
  if (!listed) return report(console, listed.error());
  printer.finish();
  if (for_people(options.form) && printer.count() == 0) console.say("no definitions are stored; `catena definitions put FILE` stores one");
  return ExitCode::ok;
}

Error not_stored(Error error, const std::string& name) {
  return error.code == Code::file_not_found ? coordinator::no_stored_definition(name) : std::move(error);
}

Result<std::string> stored_text(client::Questions& questions, const lang::FileVersion& file) {
  coordinator::ReadFile ask{.path = file.path, .version_id = file.version_id};
  std::string text;
  do {
    auto piece = questions.ask(ask);
    if (!piece) return fail(std::move(piece).error());
    text += piece->content;
    ask.piece = piece->next;
  } while (ask.piece != 0);
  return text;
}

/// All that are kept, newest first.
Result<std::vector<lang::FileVersion>> stored_versions(client::Questions& questions, const std::string& name) {
  std::vector<lang::FileVersion> versions;
  coordinator::ListFileVersions ask{.path = coordinator::definition_path(name)};
  do {
    auto page = questions.ask(ask);
    if (!page) return fail(not_stored(std::move(page).error(), name));
    std::ranges::move(page->files, std::back_inserter(versions));
    ask.cursor = std::move(page->cursor);
  } while (!ask.cursor.empty());
  return versions;
}

/// The one that is asked for: without a number the latest, unless the definition was removed.
Result<lang::FileVersion> wanted_version(client::Questions& questions, const DefinitionsOptions& options, const std::vector<lang::FileVersion>& all) {
  if (options.version.empty()) {
    const auto found = questions.ask(coordinator::FindFile{.path = coordinator::definition_path(options.name)});
    if (!found) return fail(found.error());
    if (found->file) return *found->file;
    auto error = coordinator::no_stored_definition(options.name);
    error.notes.push_back(fmt::format("it was removed; `--version {}` shows what it was", all.front().version_id));
    return fail(std::move(error));
  }
  const auto found = std::ranges::find(all, options.version, &lang::FileVersion::version_id);
  if (found == all.end())
    return fail(Code::file_version_not_found, fmt::format("the definition '{}' has no version {}", options.name, options.version));
  return *found;
}

ExitCode show_stored(const DefinitionsOptions& options, Console& console) {
  if (auto right = lang::check_stored_name(options.name); !right) return report(console, right.error());
  const Interrupt interrupt;
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto versions = stored_versions(*shelf->questions, options.name);
  if (!versions) return report_stored(console, versions.error());
  const auto file = wanted_version(*shelf->questions, options, *versions);
  if (!file) return report_stored(console, file.error());
  const auto text = stored_text(*shelf->questions, *file);
  if (!text) return report(console, text.error());
  if (for_people(options.form)) {
    console.out().write(*text);
    if (!text->ends_with('\n')) console.out().line("");
    return ExitCode::ok;
  }
  auto json = client::definition_json(*file);
  json["text"] = *text;
  json["versions"] = Json::array();
  for (const auto& one : *versions) {
    json["versions"].push_back({{"version", one.version_id}, {"bytes", one.size}, {"stored_at", iso8601(one.added_on)}, {"sha256", one.sha256}});
  }
  print_record(options.form, dump_lossy(json), options.name, console);
  return ExitCode::ok;
}

// ---- put, rm ------------------------------------------------------------------------------------------------------------

Result<coordinator::DefinitionWish> definition_wish(const DefinitionsOptions& options) {
  coordinator::DefinitionWish wish;
  if (options.file == "-" && options.name.empty())
    return fail(Code::usage, "what standard input is to be called is not known: give a name, `catena definitions put - NAME`");
  wish.name = options.name.empty() ? lang::file_stem(options.file) : options.name;
  if (auto right = lang::check_stored_name(wish.name); !right) return fail(std::move(right).error());
  auto read = read_local_file(options.file, limits::kDocumentBytesMax);
  if (!read) return fail(std::move(read).error());
  wish.text = std::move(read->content);
  wish.by = std::move(read->names.owner);
  wish.expected = expected_by(options);
  wish.only_check = options.check;
  return wish;
}

/// In the file that the person has, as `catena validate` tells them.
Error told_in_file(Error error, const DefinitionsOptions& options, const std::string& name) {
  if (error.where.file == lang::stored_key(name)) error.where.file = options.file == "-" ? "stdin" : options.file;
  return error;
}

void tell_put(const DefinitionsOptions& options, const coordinator::DefinitionWish& wish, const coordinator::DefinitionPut& put, Console& console) {
  if (!put.version) {
    if (for_people(options.form)) return console.out().line(fmt::format("ok {} ({})", printable(wish.name), put.package));
    return print_record(options.form, dump_lossy({{"name", wish.name}, {"valid", true}, {"package", put.package}}), wish.name, console);
  }
  if (for_people(options.form)) return console.out().line(fmt::format("{} {}", printable(wish.name), put.version->version_id));
  auto json = client::definition_json(*put.version);
  json["package"] = put.package;
  print_record(options.form, dump_lossy(json), wish.name, console);
}

ExitCode put_stored(const DefinitionsOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto wish = definition_wish(options);
  if (!wish) return report(console, wish.error());
  const auto bench = Workbench::open(options.place, console);
  if (!bench) return report(console, bench.error());
  const auto put = (*bench)->put_definition(*wish, options.tools);
  if (!put) return report(console, put.error());
  for (const auto& problem : put->problems) console.error(told_in_file(problem, options, wish->name));
  for (const auto& warning : put->warnings) console.warning(told_in_file(warning, options, wish->name));
  if (!put->problems.empty()) return ExitCode::usage;
  tell_put(options, *wish, *put, console);
  const auto closed = (*bench)->close();
  return closed ? ExitCode::ok : report(console, closed.error());
}

ExitCode remove_stored(const DefinitionsOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto bench = Workbench::open(options.place, console);
  if (!bench) return report(console, bench.error());
  if (auto removed = (*bench)->remove_definition(options.name, expected_by(options), options.reason); !removed)
    return report_stored(console, removed.error());
  if (for_people(options.form)) {
    console.out().line(fmt::format("{} is removed; `catena definitions show {} --version vN` still shows each version", printable(options.name),
                                   printable(options.name)));
  } else {
    print_record(options.form, dump_lossy({{"name", options.name}, {"removed", true}}), options.name, console);
  }
  const auto closed = (*bench)->close();
  return closed ? ExitCode::ok : report(console, closed.error());
}

void add_if_version(CLI::App& app, DefinitionsOptions& options) {
  app.add_option("--if-version", options.if_version,
                 "only where its latest version is this one; new: where there is none (default: whatever there is)")
      ->option_text("vN|new");
}

void define_stored_list(CLI::App& app, DefinitionsOptions& options) { add_record_output(app, options.form, "the names of definitions"); }

void define_stored_show(CLI::App& app, DefinitionsOptions& options) {
  app.add_option("name", options.name, "the definition")->required()->option_text("NAME");
  app.add_option("--version", options.version, "an older version, also of one that was removed (default: the latest)")->option_text("vN");
  add_text_output(app, options.form, "the name of the definition");
}

void define_stored_put(CLI::App& app, DefinitionsOptions& options) {
  app.add_option("file", options.file, "the definition, or - for standard input")->required()->option_text("FILE|-");
  app.add_option("name", options.name, "what it is to be called, such as report or team/report (default: like the file, without its ending)")
      ->option_text("NAME");
  add_if_version(app, options);
  app.add_flag("--check", options.check, "say what is wrong with it, and store nothing");
  add_tools(app, options.tools);
  add_text_output(app, options.form, "the name of the definition");
}

void define_stored_rm(CLI::App& app, DefinitionsOptions& options) {
  app.add_option("name", options.name, "the definition")->required()->option_text("NAME");
  add_if_version(app, options);
  add_reason(app, options.reason);
  add_text_output(app, options.form, "the name of the definition");
}

constexpr CommandVerb<DefinitionsOptions> kDefinitionVerbs[]{
    {"list", "list the definitions that are stored", define_stored_list, list_stored},
    {"show", "print the text of one", define_stored_show, show_stored},
    {"put", "check a definition and store it, as a new version of its name", define_stored_put, put_stored},
    {"rm", "remove one: no submission finds it then, and chains that have it go on", define_stored_rm, remove_stored},
};

}  // namespace

Action define_definitions(CLI::App& app) {
  return define_verbs<DefinitionsOptions>(app, kDefinitionVerbs, [](CLI::App& verb, DefinitionsOptions& options) { add_place(verb, options.place); });
}

}  // namespace catena::cli
