#include "lang/program/graph.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"

namespace catena::cli {

Action define_graph(CLI::App& app) {
  struct Options {
    std::string definition;
    std::vector<std::string> tools;
    std::string format = "mermaid";
  };
  const auto options = std::make_shared<Options>();
  app.add_option("definition", options->definition, "the file to draw")->required()->option_text("DEF");
  app.add_option("--format", options->format, "mermaid (default) or dot")->check(CLI::IsMember({"mermaid", "dot"}))->option_text("FORMAT");
  add_tools(app, options->tools);
  return [options](Console& console) {
    const auto package = load_definition(options->definition, options->tools, console);
    if (!package) return ExitCode::usage;
    const auto text =
        options->format == "dot" ? lang::to_dot(package->main(), package->programs) : lang::to_mermaid(package->main(), package->programs);
    console.out().write(text);
    if (!text.ends_with('\n')) console.out().write("\n");
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
