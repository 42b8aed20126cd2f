#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options.hpp"

namespace catena::cli {

Action define_version(CLI::App& app) {
  const auto output = std::make_shared<std::string>("text");
  add_output(app, *output);
  return [output](Console& console) {
    // empty where the sources were no checkout: see cmake/Commit.cmake
    constexpr std::string_view kCommit = CATENA_COMMIT;
    if (*output == "json") {
      console.out().line(Json{{"version", CATENA_VERSION}, {"commit", kCommit.empty() ? Json{} : Json(kCommit)}}.dump());
    } else {
      console.out().line(fmt::format("catena {} ({})", CATENA_VERSION, kCommit.empty() ? "commit unknown" : kCommit));
    }
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
