#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {
namespace {

struct SignalOptions {
  ControlRequest request;
  std::string name;
  std::string data;
  std::string key;
};

Result<actors::Control> signal_of(const SignalOptions& options, const ChainId& chain) {
  engine::Signal signal{options.name, engine::inline_payload("{}"), key_or_made(options.key), {}, {}};
  if (!options.data.empty()) {
    auto data = read_json(options.data, "--data");
    if (!data) return fail(data.error());
    signal.data = engine::inline_payload(std::move(data->text));
  }
  return actors::Control{chain, std::move(signal)};
}

}  // namespace

Action define_signal(CLI::App& app) {
  const auto options = std::make_shared<SignalOptions>();
  options->request.follow.place.awaits = true;
  add_chain(app, options->request.chain)->required();
  app.add_option("name", options->name, "the signal that a step waits for, now or later")->required()->option_text("NAME");
  app.add_option("--data", options->data, "an object, which becomes the response of the step: JSON, @FILE or -")->option_text("JSON");
  app.add_option("--idempotency-key", options->key, "a second signal with the same key changes nothing, so it can be sent again")->option_text("KEY");
  add_control_request(app, options->request);
  return [options](Console& console) {
    return control_or_follow(options->request, console, "has the signal",
                             [&](client::ChainsPort&, const ChainId& chain) { return signal_of(*options, chain); });
  };
}

}  // namespace catena::cli
