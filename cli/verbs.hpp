#pragma once
// Commands with verbs, such as `catena fs put` and `catena token create`: one table of verbs, over the options that they share.
#include <CLI/CLI.hpp>
#include <memory>
#include <span>

#include "cli/command.hpp"

namespace catena::cli {

template <class Options>
struct CommandVerb {
  const char* name;
  const char* summary;
  void (*define)(CLI::App& app, Options& options);  // adds the options of this one
  ExitCode (*run)(const Options& options, Console& console);
};

/// `common` adds the options that each of them takes, behind its own.
template <class Options>
[[nodiscard]] Action define_verbs(CLI::App& app, std::span<const CommandVerb<Options>> verbs, void (*common)(CLI::App& app, Options& options)) {
  const auto options = std::make_shared<Options>();
  const auto run = std::make_shared<ExitCode (*)(const Options&, Console&)>(nullptr);
  app.require_subcommand(1);
  for (const auto& verb : verbs) {
    auto* sub = app.add_subcommand(verb.name, verb.summary);
    verb.define(*sub, *options);
    common(*sub, *options);
    sub->callback([run, action = verb.run] { *run = action; });
  }
  return [options, run](Console& console) { return (*run)(*options, console); };
}

}  // namespace catena::cli
