#include <CLI/CLI.hpp>
#include <memory>

#include "api/openapi.hpp"
#include "cli/commands/commands.hpp"

namespace catena::cli {
namespace {

struct OpenApiOptions {
  bool markdown = false;
};

}  // namespace

Action define_openapi(CLI::App& app) {
  const auto options = std::make_shared<OpenApiOptions>();
  app.add_flag("--markdown", options->markdown, "as a page for people instead: docs/api.md");
  return [options](Console& console) {
    if (options->markdown) {
      console.out().write(api::reference_page());
    } else {
      console.out().line(dump_lossy(api::openapi()));
    }
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
