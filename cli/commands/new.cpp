#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/characters.hpp"
#include "cli/commands/commands.hpp"
#include "cli/local_file.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "cli/scaffold/scaffold.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

struct NewOptions {
  std::string kind;
  std::string name;
  std::string directory = ".";
  Form form = Form::table;
};

/// It becomes the name of files, and of a tool.
Result<void> check_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  if (!name.empty() && name.size() <= kLongest && name.front() != '-' && std::ranges::all_of(name, in_id)) return {};
  return fail(Code::id_invalid, fmt::format("'{}' cannot be a definition's name: up to {} letters, digits, '_' and '-'", name, kLongest));
}

fs::path place(const NewOptions& options, const std::string& path) { return (fs::path{options.directory} / path).lexically_normal(); }

Result<void> write_scaffold_file(const fs::path& path, const NewFileText& file) {
  std::error_code failed;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  if (failed) return fail(Code::storage_io, fmt::format("cannot make the folder '{}': {}", path.parent_path().string(), failed.message()));
  auto out = NewLocalFile::open(path.string());
  if (!out) return fail(out.error());
  if (const auto written = out->write(file.text); !written) return written;
  if (const auto finished = out->finish(); !finished) return finished;
  if (file.program) fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add, failed);
  if (failed) return fail(Code::storage_io, fmt::format("cannot make '{}' executable: {}", path.string(), failed.message()));
  return {};
}

ExitCode make(const NewOptions& options, Console& console) {
  if (const auto sound = check_name(options.name); !sound) return report(console, sound.error());
  const auto scaffold = make_scaffold(options.kind, options.name);
  auto taken = make_error(
      Code::usage,
      fmt::format("nothing was made: there are files in the way of a new '{}'; choose another name, or a folder with --dir", options.name));
  for (const auto& file : scaffold.files) {
    std::error_code failed;
    if (fs::exists(fs::symlink_status(place(options, file.path), failed))) taken.notes.push_back(place(options, file.path).string());
  }
  if (!taken.notes.empty()) return report(console, taken);
  for (const auto& file : scaffold.files) {
    const auto path = place(options, file.path);
    if (const auto written = write_scaffold_file(path, file); !written) return report(console, written.error());
    if (for_people(options.form)) {
      console.out().line(path.string());
    } else {
      print_element(options.form, {{"file", path.string()}, {"program", file.program}}, path.string(), console);
    }
  }
  console.out().flush();
  if (!for_people(options.form)) return ExitCode::ok;
  console.say(fmt::format("next: catena run {} -p text=hello\n      catena test {}", place(options, scaffold.definition).string(),
                          place(options, scaffold.test).string()));
  return ExitCode::ok;
}

}  // namespace

Action define_new(CLI::App& app) {
  const auto options = std::make_shared<NewOptions>();
  app.add_option("kind", options->kind, "tool (a graph of steps), composite (a sequence with jumps) or pipeline")
      ->required()
      ->check(CLI::IsMember(scaffold_kinds()))
      ->option_text("tool|composite|pipeline");
  app.add_option("name", options->name, "what the definition is called")->required()->option_text("NAME");
  app.add_option("--dir", options->directory, "where to put it (default: here)")->option_text("DIR");
  add_text_output(app, options->form, "files");
  return [options](Console& console) { return make(*options, console); };
}

}  // namespace catena::cli
