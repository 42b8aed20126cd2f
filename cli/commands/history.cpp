#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"

namespace catena::cli {
namespace {

struct HistoryOptions {
  std::string chain;
  std::string output = "text";
  Place place;
};

std::string text_line(const coordinator::HistoryEvent& event) {
  return fmt::format("{:>6}  {}  {}", event.sequence, iso8601(event.at), printable(event.text));
}

std::string json_line(const coordinator::HistoryEvent& event) {
  auto json = Json::parse(event.json, nullptr, false);
  if (!json.is_object()) json = Json::object();
  json["seq"] = event.sequence;
  json["time"] = iso8601(event.at);
  json["text"] = event.text;
  return dump_lossy(json);
}

ExitCode history(const HistoryOptions& options, Console& console) {
  const auto shelf = open_shelf(options.place, console);
  if (!shelf) return report(console, shelf.error());
  const ChainId chain{options.chain};
  const auto known = shelf->questions->ask(coordinator::DescribeChain{.chain = chain});
  if (!known) return report(console, known.error());
  if (known->package_error) console.warning(*known->package_error);
  const bool json = options.output == "json";
  const auto read = client::for_each_event(*shelf->questions, {.chain = chain, .in_full = json}, [&](const coordinator::HistoryEvent& event) {
    console.out().line(json ? json_line(event) : text_line(event));
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
