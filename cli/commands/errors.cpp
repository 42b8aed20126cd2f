#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/records.hpp"

namespace catena::cli {

Action define_errors(CLI::App& app) {
  const auto output = std::make_shared<std::string>("text");
  add_record_output(app, *output);
  return [output](Console& console) {
    RecordPrinter printer{*output, "code", {"CODE", "RETRYABLE", "MEANING"}, console};
    for (const auto& row : all_codes()) {
      printer.add({{"code", row.name}, {"retryable", row.retryable}, {"meaning", row.meaning}},
                  {std::string{row.name}, row.retryable ? "yes" : "no", std::string{row.meaning}});
    }
    printer.finish();
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
