#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/local_file.hpp"
#include "cli/options.hpp"
#include "cli/records.hpp"
#include "lang/convert/convert.hpp"

namespace catena::cli {
namespace {

struct ConvertOptions {
  std::string file;
  std::string to;
  std::string output;
  std::vector<std::string> tools;
};

Result<void> write_converted(const std::string& path, const std::string& text) {
  auto file = NewLocalFile::open(path);
  if (!file) return fail(std::move(file.error()));
  if (auto written = file->write(text); !written) return written;
  return file->finish();
}

ExitCode convert(const ConvertOptions& options, Console& console) {
  const auto roots = open_roots(options.tools, options.file);
  if (!roots) return report(console, roots.error());
  const auto known = configured_catalog();
  if (!known) return report(console, known.error());
  const auto converted = lang::convert_to_tool(options.file, *roots, *known);
  if (!converted) {
    for (const auto& error : converted.error()) console.error(error);
    return ExitCode::usage;
  }
  for (const auto& warning : converted->warnings) console.warning(warning);
  if (options.output.empty()) {
    console.out().write(converted->text);
    return ExitCode::ok;
  }
  if (const auto written = write_converted(options.output, converted->text); !written) return report(console, written.error());
  return ExitCode::ok;
}

}  // namespace

Action define_convert(CLI::App& app) {
  const auto options = std::make_shared<ConvertOptions>();
  app.add_option("file", options->file, "a pipeline, a composite without jumps or loops, or a plan")->required()->option_text("FILE");
  app.add_option("--to", options->to, "the dialect to write")->required()->check(CLI::IsMember({"tool"}))->option_text("tool");
  add_file_output(app, options->output, "write to this file instead of printing");
  add_tools(app, options->tools);
  return [options](Console& console) { return convert(*options, console); };
}

}  // namespace catena::cli
