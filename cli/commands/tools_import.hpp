#pragma once
// `catena tools import`: definitions of the tools that a program describes.
#include <memory>
#include <string>

#include "cli/console.hpp"
#include "cli/exit_code.hpp"

namespace CLI {
class App;
}

namespace catena::cli {

struct ImportOptions {
  bool asked = false;
  std::string file;       // the program
  std::string directory;  // where the definitions are written; empty: beside the program
  bool force = false;     // files in the way are replaced
};

void define_tools_import(CLI::App& app, const std::shared_ptr<ImportOptions>& options);
[[nodiscard]] ExitCode import_tools(const ImportOptions& options, Console& console);

}  // namespace catena::cli
