#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {

Action define_errors(CLI::App& app) {
  const auto output = std::make_shared<std::string>("text");
  add_output(app, *output);
  return [output](Console& console) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : all_codes()) {
      if (*output == "json") {
        console.out().line(Json{{"code", row.name}, {"retryable", row.retryable}, {"meaning", row.meaning}}.dump());
      } else {
        rows.push_back({std::string{row.name}, row.retryable ? "yes" : "no", std::string{row.meaning}});
      }
    }
    console.out().write(table({"CODE", "RETRYABLE", "MEANING"}, rows));
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
