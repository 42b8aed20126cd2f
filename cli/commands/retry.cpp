#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {

Action define_retry(CLI::App& app) {
  const auto request = std::make_shared<ControlRequest>();
  add_chain(app, request->chain)->required();
  add_slots(app, request->slots);
  add_place(app, request->follow.place);
  add_output(app, request->follow.output);
  app.add_flag("-q,--quiet", request->follow.quiet, "no progress and no line at the end");
  return [request](Console& console) {
    return control_and_follow(*request, console, [](client::ChainsPort&, const ChainId& chain) -> Result<actors::Control> {
      return actors::Control{chain, engine::Retry{}};
    });
  };
}

}  // namespace catena::cli
