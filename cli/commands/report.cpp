#include <CLI/CLI.hpp>
#include <memory>

#include "api/page.hpp"
#include "base/time.hpp"
#include "cli/commands/commands.hpp"
#include "cli/local_file.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/report/chain_report.hpp"

namespace catena::cli {
namespace {

struct ReportOptions {
  std::string chain;
  std::string html;
  Place place;
};

ExitCode write_report(const ReportOptions& options, Console& console) {
  auto page = api::page_text(api::page_files(), "report.html");
  if (!page) return report(console, page.error());
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const SystemClock clock;
  auto answers = report_answers(*shelf->questions, clock, ChainId{options.chain});
  if (!answers) return report(console, answers.error());
  const Json data{{"title", options.chain}, {"chain_id", options.chain}, {"made_at", iso8601(clock.now())}, {"answers", std::move(*answers)}};
  const auto html = report_html(std::move(*page), data);
  if (options.html == "-") {
    console.out().write(html);
    return ExitCode::ok;
  }
  auto file = NewLocalFile::open(options.html);
  if (!file) return report(console, file.error());
  if (auto written = file->write(html); !written) return report(console, written.error());
  if (auto finished = file->finish(); !finished) return report(console, finished.error());
  console.say("wrote " + options.html);
  return ExitCode::ok;
}

}  // namespace

Action define_report(CLI::App& app) {
  const auto options = std::make_shared<ReportOptions>();
  add_chain(app, options->chain)->required();
  app.add_option("--html", options->html, "the file that is written: the chain's page of the web page with all its data; -: standard output")
      ->required()
      ->option_text("FILE");
  add_place(app, options->place);
  return [options](Console& console) { return write_report(*options, console); };
}

}  // namespace catena::cli
