#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/place.hpp"
#include "cli/show/nodes_table.hpp"

namespace catena::cli {
namespace {

struct NodesOptions {
  Place place;
  Form form = Form::table;
};

ExitCode nodes(const NodesOptions& options, Console& console) {
  const Interrupt interrupt;
  const auto client = connect_cluster(options.place, console);
  if (!client) return report(console, client.error());
  const auto found = (*client)->nodes();
  if (!found) return report(console, found.error());
  print_nodes(found->nodes, options.form, console);
  return ExitCode::ok;
}

}  // namespace

Action define_nodes(CLI::App& app) {
  const auto options = std::make_shared<NodesOptions>();
  add_cluster(app, options->place);
  add_record_output(app, options->form, "the names of workers");
  return [options](Console& console) { return nodes(*options, console); };
}

}  // namespace catena::cli
