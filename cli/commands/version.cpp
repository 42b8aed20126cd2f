#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "cli/commands/commands.hpp"
#include "cli/records.hpp"

namespace catena::cli {

Action define_version(CLI::App& app) {
  const auto output = std::make_shared<Form>(Form::table);
  add_text_output(app, *output, "");
  return [output](Console& console) {
    // empty where the sources were no checkout: see cmake/Commit.cmake
    constexpr std::string_view kCommit = CATENA_COMMIT;
    if (for_people(*output)) {
      console.out().line(fmt::format("catena {} ({})", CATENA_VERSION, kCommit.empty() ? "commit unknown" : kCommit));
    } else {
      print_record(*output, Json{{"version", CATENA_VERSION}, {"commit", kCommit.empty() ? Json{} : Json(kCommit)}}.dump(), "", console);
    }
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
