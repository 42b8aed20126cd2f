#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/random.hpp"
#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/follow.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/parameters.hpp"
#include "coordinator/supervisor.hpp"
#include "lang/context.hpp"

namespace catena::cli {
namespace {

struct RunOptions {
  std::string definition;
  std::string arguments;
  std::vector<std::string> parameters;
  std::vector<std::string> context;
  std::string context_file;
  std::string id;
  std::vector<std::string> tools;
  std::string durability;  // empty: as configured
  std::uint32_t slots = 0;
  FollowOptions follow;
};

storage::Durability durability_named(std::string_view name) {
  if (name == "none") return storage::Durability::none;
  return name == "async" ? storage::Durability::async : storage::Durability::sync;
}

/// A part of the id: letters that need no quoting in a shell.
std::string id_prefix(std::string_view name) {
  std::string prefix;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    prefix += plain ? c : '-';
  }
  constexpr std::size_t kLongest = 40;
  prefix.resize(std::min(prefix.size(), kLongest));
  return prefix.empty() ? "chain" : prefix;
}

std::string stem(const std::string& file) { return std::filesystem::path{file}.stem().string(); }

/// Everything that can be wrong with what was asked is found here, before there is a store.
Result<actors::Submission> prepare(const RunOptions& options, lang::Package package) {
  actors::Submission submission;
  submission.chain.value = options.id.empty() ? readable_id(id_prefix(stem(options.definition)), entropy()) : options.id;
  if (const auto valid = coordinator::check_new_chain_id(submission.chain); !valid) return fail(valid.error());
  auto arguments = chain_arguments(options.arguments, options.parameters, package.main());
  if (!arguments) return fail(arguments.error());
  submission.arguments = engine::inline_payload(std::move(arguments->text));
  const auto context = chain_context(options.context, options.context_file);
  if (!context) return fail(context.error());
  auto checked = lang::check_context(*context, package);
  if (!checked) return fail(checked.error());
  if (!checked->empty()) submission.context = engine::inline_payload(std::move(*checked));
  auto configured = configuration();
  if (!configured) return fail(configured.error());
  submission.durability = durability_named(options.durability.empty() ? configured->settings.durability : options.durability);
  submission.definition = package.root;
  submission.package = std::make_shared<const lang::Package>(std::move(package));
  return submission;
}

ExitCode run(const RunOptions& options, Console& console) {
  if (options.arguments == "-" && std::ranges::find(options.context, "-") != options.context.end()) {
    return report(console, make_error(Code::usage, "--args and --context cannot both be read from standard input"));
  }
  auto package = load_definition(options.definition, options.tools, console, Announced::here);
  if (!package) return ExitCode::usage;
  auto submission = prepare(options, std::move(*package));
  if (!submission) {
    console.error(submission.error());
    return ExitCode::usage;
  }
  const auto directory = data_directory(options.follow.data_dir);
  if (!directory) return report(console, directory.error());
  const Interrupt interrupt;
  const auto embedded = open_embedded(*directory, options.slots);
  if (!embedded) return report(console, embedded.error());
  const auto chain = submission->chain;
  if (const auto accepted = (*embedded)->submit(std::move(*submission)); !accepted) return report(console, accepted.error());
  return follow(**embedded, chain, options.follow, console);
}

}  // namespace

Action define_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  app.add_option("definition", options->definition, "the file to run")->required()->option_text("DEF");
  app.add_option("--args", options->arguments, "arguments: a JSON object, @FILE, or - for standard input")->option_text("JSON|@FILE|-");
  app.add_option("-p,--param", options->parameters, "one argument, over --args; may be given several times")->allow_extra_args(false)->option_text("NAME=VALUE");
  app.add_option("--context", options->context, "what goes along to every tool: NAME=VALUE, as often as wanted, or a JSON object, @FILE, or -")
      ->allow_extra_args(false)
      ->option_text("NAME=VALUE|JSON");
  app.add_option("--context-file", options->context_file, "a file with that object, as --context @FILE")->option_text("FILE");
  app.add_option("--id", options->id, "the chain's id (default: one is made)")->option_text("ID");
  add_tools(app, options->tools);
  app.add_option("--durability", options->durability, "sync (default): what is recorded survives a loss of power; async: the end of the process; none: neither")
      ->check(CLI::IsMember({"sync", "async", "none"}))
      ->option_text("MODE");
  add_slots(app, options->slots);
  add_data_dir(app, options->follow.data_dir);
  add_output(app, options->follow.output);
  app.add_flag("-q,--quiet", options->follow.quiet, "no progress and no line at the end");
  app.add_flag("-v,--verbose", options->follow.verbose, "the line at the end also where stderr is no terminal");
  return [options](Console& console) { return run(*options, console); };
}

}  // namespace catena::cli
