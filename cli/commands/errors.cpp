#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/records.hpp"

namespace catena::cli {

Action define_errors(CLI::App& app) {
  const auto form = std::make_shared<Form>(Form::table);
  add_record_output(app, *form, "the codes");
  return [form](Console& console) {
    RecordPrinter printer{*form, "code", {{.title = "CODE"}, {.title = "RETRYABLE", .leaves = 1}, {.title = "MEANING", .shortens = true}}, console};
    for (const auto& row : all_codes()) {
      printer.add(
          [&]() -> Json {
            return {{"code", row.name}, {"retryable", row.retryable}, {"meaning", row.meaning}};
          },
          [&]() -> Cells {
            return {std::string{row.name}, row.retryable ? "yes" : "no", std::string{row.meaning}};
          });
    }
    printer.finish();
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
