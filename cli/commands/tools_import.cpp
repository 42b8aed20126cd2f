#include "cli/commands/tools_import.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/find/tool_describer.hpp"
#include "cli/local_file.hpp"
#include "cli/options.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

struct ImportedFile {
  fs::path path;
  std::string text;
};

/// Whether it is to be written; an error where another file is in the way.
Result<bool> has_to_be_written(const ImportedFile& file, bool force) {
  std::error_code absent;
  if (!fs::exists(fs::symlink_status(file.path, absent))) return true;
  const auto there = read_definition_file(file.path);
  if (there && *there == file.text) return false;
  if (force) return true;
  return fail(Code::usage, fmt::format("nothing was written: '{}' is there and says something else; --force replaces it", file.path.string()));
}

Result<void> write_definition(const ImportedFile& file) {
  auto out = NewLocalFile::open(file.path.string());
  if (!out) return fail(out.error());
  if (auto written = out->write(file.text); !written) return written;
  return out->finish();
}

/// A description names files beside its program; a definition those beside itself.
Json described_from(Json said, const fs::path& within) {
  const auto files = said.find("files");
  if (within.empty() || files == said.end() || !files->is_array()) return said;
  for (auto& file : *files) {
    if (file.is_string()) file = (within / file.get<std::string>()).generic_string();
  }
  return said;
}

Result<std::vector<ImportedFile>> definitions_of(const fs::path& program, const fs::path& directory, const fs::path& within,
                                                 const DefinitionRoots& roots) {
  const auto command = serve_command(program, roots);
  if (!command) return fail(command.error());
  const auto tools = roots.describer().tools_of(command->program);
  if (!tools) return fail(tools.error());
  if (!*tools || (*tools)->empty()) {
    return fail(Code::usage,
                fmt::format("'{}' {}, so there is nothing to import", program.string(),
                            *tools ? "serves no tools" : "does not describe the tools that it serves (it does not know the method `describe`)"));
  }
  const auto written = written_command(*command, within / program.filename());
  if (!written) return fail(written.error());
  std::vector<ImportedFile> files;
  for (const auto& [tool, said] : **tools) {
    auto text = lang::definition_text(tool, described_from(said, within), *written);
    if (!text) return fail(std::move(text).error());
    files.push_back({directory / (tool + ".tool"), std::move(*text)});
  }
  return files;
}

}  // namespace

void define_tools_import(CLI::App& app, const std::shared_ptr<ImportOptions>& options) {
  auto* sub = app.add_subcommand("import", "write definitions of the tools that a program serves and describes");
  sub->add_option("file", options->file, "the program: executable, or a file that ends in .py, .mjs, .cjs or .js")->required()->option_text("FILE");
  sub->add_option("--out", options->directory, "where they are written: the program's folder (the default) or one above it")->option_text("DIR");
  sub->add_flag("--force", options->force, "replace definitions that say something else");
  sub->callback([options] { options->asked = true; });
}

ExitCode import_tools(const ImportOptions& options, Console& console) {
  std::error_code failed;
  const auto program = fs::canonical(options.file, failed);
  if (failed) return report(console, make_error(Code::file_unreadable, fmt::format("cannot read '{}': {}", options.file, failed.message())));
  const auto directory = options.directory.empty() ? program.parent_path() : fs::canonical(options.directory, failed);
  if (failed) return report(console, make_error(Code::usage, fmt::format("the folder '{}' (--out): {}", options.directory, failed.message())));
  if (!lies_in(program, directory)) {
    return report(console, make_error(Code::usage, fmt::format("the program '{}' does not lie in '{}' (--out): a definition names its program by "
                                                               "a path that leads down from it",
                                                               program.string(), directory.string())));
  }
  const auto roots = open_roots({}, program.string());
  if (!roots) return report(console, roots.error());
  const auto relative = program.parent_path().lexically_relative(directory);
  const auto files = definitions_of(program, directory, relative == "." ? fs::path{} : relative, *roots);
  if (!files) return report(console, files.error());
  std::vector<std::pair<const ImportedFile*, bool>> planned;
  for (const auto& file : *files) {
    const auto written = has_to_be_written(file, options.force);
    if (!written) return report(console, written.error());
    planned.emplace_back(&file, *written);
  }
  for (const auto& [file, changes] : planned) {
    if (changes) {
      if (const auto written = write_definition(*file); !written) return report(console, written.error());
    }
    console.out().line(fmt::format("{} {}", changes ? "written  " : "unchanged", file->path.string()));
  }
  console.out().flush();
  return ExitCode::ok;
}

}  // namespace catena::cli
