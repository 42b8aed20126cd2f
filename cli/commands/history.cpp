#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/describe_event.hpp"
#include "cli/inspect.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"

namespace catena::cli {
namespace {

struct HistoryOptions {
  std::string chain;
  std::string output = "text";
  Place place;
};

std::string text_line(Sequence sequence, const engine::Event& event, const lang::Program* program) {
  const auto described = describe(event, program);
  return fmt::format("{:>6}  {}  {}", sequence, iso8601(described.at), printable(described.text));
}

std::string json_line(Sequence sequence, const engine::Event& event, const lang::Program* program) {
  const auto described = describe(event, program);
  auto json = engine::to_json(event);
  json["seq"] = sequence;
  json["time"] = iso8601(described.at);
  json["text"] = described.text;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ExitCode history(const HistoryOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const auto inspected = inspect(shelf->kv, ChainId{options.chain});
  if (!inspected) return report(console, inspected.error());
  if (inspected->package_error) console.warning(*inspected->package_error);
  const auto line = options.output == "json" ? json_line : text_line;
  const auto read = coordinator::read_history(*inspected->kv, inspected->chain, [&](Sequence sequence, const engine::Event& event) {
    console.out().line(line(sequence, event, inspected->program()));
    return !console.out().closed();
  });
  return read ? ExitCode::ok : report(console, read.error());
}

}  // namespace

Action define_history(CLI::App& app) {
  const auto options = std::make_shared<HistoryOptions>();
  add_chain(app, options->chain)->required();
  add_output(app, options->output);
  add_place(app, options->place);
  return [options](Console& console) { return history(*options, console); };
}

}  // namespace catena::cli
