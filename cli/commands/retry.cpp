#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/find/tool_files.hpp"
#include "cli/options.hpp"
#include "cli/show/follow.hpp"

namespace catena::cli {
namespace {

struct RetryOptions {
  ControlRequest request;
  std::vector<std::string> tools;
  bool refresh = false;
};

/// The chain's definition with its programs as they are here and now.
struct Fresh {
  lang::Package package;
  std::map<std::string, std::string> programs;
};

Result<Fresh> read_again(const std::string& definition, const std::vector<std::string>& tools) {
  const auto roots = open_roots(tools, definition);
  if (!roots) return fail(roots.error());
  const auto known = configured_catalog();
  if (!known) return fail(known.error());
  auto package = lang::load_package(definition, *roots, *known);
  if (!package) return fail(std::move(package.error().front()));
  auto programs = pin_tool_files(*package, roots->roots());
  if (!programs) return fail(std::move(programs).error());
  return Fresh{std::move(*package), std::move(*programs)};
}

bool changed_since(const coordinator::ChainDescription& known, const std::vector<std::string>& tools) {
  if (!std::filesystem::is_regular_file(known.definition)) return false;
  const auto fresh = read_again(known.definition, tools);
  return fresh && fresh->package.hash != known.package;
}

Result<actors::Control> retry_of(const RetryOptions& options, client::ChainsPort& chains, const ChainId& chain, Console& console) {
  const auto known = chains.questions().ask(coordinator::DescribeChain{.chain = chain});
  if (!known) return fail(known.error());
  if (options.refresh) {
    auto fresh = read_again(known->definition, options.tools);
    if (!fresh) return fail(std::move(fresh).error());
    engine::Retry retry;
    retry.package = fresh->package.hash;
    return actors::Control{chain, retry, std::make_shared<const lang::Package>(std::move(fresh->package)), std::move(fresh->programs)};
  }
  if (changed_since(*known, options.tools))
    console.say(
        fmt::format("chain '{0}' runs again with what it began with; definitions or programs have changed since. `catena retry {0} --refresh{1}` "
                    "takes up programs as they are now",
                    chain.value, options.request.follow.place.words()));
  return actors::Control{chain, engine::Retry{}};
}

}  // namespace

Action define_retry(CLI::App& app) {
  const auto options = std::make_shared<RetryOptions>();
  auto& request = options->request;
  add_chain(app, request.chain)->required();
  app.add_flag("--refresh", options->refresh, "run programs, and the files they are shipped with, as they are now; what has succeeded stays");
  add_tools(app, options->tools);
  add_slots(app, request.slots);
  add_place(app, request.follow.place);
  add_output(app, request.follow.output);
  app.add_flag("-q,--quiet", request.follow.quiet, "no progress and no line at the end");
  return [options](Console& console) {
    return control_and_follow(options->request, console,
                              [&](client::ChainsPort& chains, const ChainId& chain) { return retry_of(*options, chains, chain, console); });
  };
}

}  // namespace catena::cli
