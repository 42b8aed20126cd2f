#include "cli/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/suggest.hpp"
#include "cli/commands/commands.hpp"
#include "cli/environment.hpp"
#include "cli/place.hpp"
#include "cli/show/text.hpp"

namespace catena::cli {
namespace {

constexpr std::array kCommands{
    Command{"run", "Run", "run a definition to its end", define_run},
    Command{"submit", "Run", "hand a definition to a cluster and go on", define_submit},
    Command{"wait", "Run", "wait for chains to end, as run does", define_wait},
    Command{"schedule", "Run", "run a definition by itself when it is due: create, list, show, pause, trigger, backfill", define_schedule},
    Command{"watch", "Run", "show a chain's progress until it ends", define_watch},
    Command{"list", "Look", "list the chains there are", define_list},
    Command{"show", "Look", "show what is known of a chain", define_show},
    Command{"explain", "Look", "say why a chain, a step or an item does not move", define_explain},
    Command{"approvals", "Look", "list what waits for approval, of all chains", define_approvals},
    Command{"diff", "Look", "compare two chains: definitions, arguments, steps, responses, failed items", define_diff},
    Command{"history", "Look", "show everything that happened to a chain", define_history},
    Command{"report", "Look", "write a chain's page as one file", define_report},
    Command{"logs", "Look", "show what attempts of a chain printed", define_logs},
    Command{"doctor", "Look", "say what is wrong with a coordinator or a data directory, and what to do", define_doctor},
    Command{"open", "Look", "print the address of the web page, of a chain or of all", define_open},
    Command{"errors", "Look", "list the codes of errors", define_errors},
    Command{"config", "Look", "print every setting, its meaning and where it comes from", define_config},
    Command{"openapi", "Look", "print the HTTP interface as an OpenAPI document", define_openapi},
    Command{"version", "Look", "print the version", define_version},
    Command{"resume", "Control", "go on with chains that were interrupted", define_resume},
    Command{"retry", "Control", "run again what failed or never ran", define_retry},
    Command{"fork", "Control", "begin a chain with what another one had come to, at a step or an event", define_fork},
    Command{"skip", "Control", "give a step, or items of one, a response in place of running it", define_skip},
    Command{"pause", "Control", "begin nothing new of a chain for a while", define_pause},
    Command{"unpause", "Control", "let a paused chain go on", define_unpause},
    Command{"amend", "Control", "change the terms of a chain that runs: concurrency, priority, tolerance, timeout, attempts", define_amend},
    Command{"signal", "Control", "send a chain a signal that a step waits for", define_signal},
    Command{"approve", "Control", "let a step, or items of one, run that wait for approval", define_approve},
    Command{"reject", "Control", "reject a step, or items of one, that wait for approval: they fail", define_reject},
    Command{"cancel", "Control", "cancel a chain; its final steps run", define_cancel},
    Command{"kill", "Control", "end a chain now, without its final steps", define_kill},
    Command{"resolve", "Control", "say what became of an attempt in doubt", define_resolve},
    Command{"new", "Write", "make a definition, a tool that it calls and a test of it", define_new},
    Command{"validate", "Write", "check definitions and all they can reach", define_validate},
    Command{"test", "Write", "run tests of definitions, with tools that are played", define_test},
    Command{"graph", "Write", "draw a definition", define_graph},
    Command{"convert", "Write", "rewrite a pipeline, a composite or a plan as a tool definition", define_convert},
    Command{"tools", "Write", "list the core tools, builtins and the definitions in the tool roots", define_tools},
    Command{"functions", "Write", "print the functions of expressions", define_functions},
    Command{"eval", "Write", "evaluate an expression", define_eval},
    Command{"dev", "Write", "run a coordinator with slots and the HTTP interface, to try things", define_dev},
    Command{"completion", "Write", "print a completion script for a shell", define_completion},
    Command{"coordinator", "Cluster", "run a cluster's coordinator", define_coordinator},
    Command{"worker", "Cluster", "run what a cluster's coordinator hands out", define_worker},
    Command{"nodes", "Cluster", "list the workers of a cluster", define_nodes},
    Command{"cordon", "Cluster", "give a worker no new work", define_cordon},
    Command{"uncordon", "Cluster", "give a worker work again", define_uncordon},
    Command{"drain", "Cluster", "let a worker finish what it runs and leave", define_drain},
    Command{"cert", "Cluster", "make the authority of a cluster and the certificates of its nodes", define_cert},
    Command{"audit", "Cluster", "list what was asked of chains, workers and tokens, and by whom", define_audit},
    Command{"webhooks", "Cluster", "list what webhooks were told and what waits, and deliver once more", define_webhooks},
    Command{"token", "Cluster", "make, list and revoke access tokens for the HTTP interface", define_token},
    Command{"profile", "Cluster", "name coordinators, over HTTP or links, and how to connect to them", define_profile},
    Command{"rm", "Data", "remove chains that have ended", define_rm},
    Command{"prune", "Data", "remove all chains that ended a while ago", define_prune},
    Command{"store", "Data", "look after a data directory: stats, verify, compact, backup, restore", define_store},
    Command{"fs", "Data", "put, get, list and remove files of the file store", define_fs},
    Command{"definitions", "Data", "put, show, list and remove stored definitions", define_definitions},
};

/// Options that exclude each other say so in words, or when they meet: not in the column of their names.
class PlainHelp final : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!option->get_option_text().empty()) return " " + option->get_option_text();
    return option->get_items_expected_max() == 0 ? std::string{} : CLI::Formatter::make_option_opts(option);
  }
};

constexpr std::string_view kFooter =
    "Exit codes: 0 completed, 1 failed, 2 wrong usage, definition or arguments, 3 cancelled, 4 no such chain, file or worker, 70 a process that "
    "could not end in order (the store failed, or the end took too long), 130 interrupted (resumable)\n"
    "Chains and files are kept in $XDG_STATE_HOME/catena (CATENA_DATA_DIR or --data-dir DIR elsewhere).\n"
    "`catena COMMAND --help` shows the options of a command.";

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const auto& command : kCommands) names.emplace_back(command.name);
  return names;
}

ExitCode wrong_usage(Console& console, std::string message, std::string_view command) {
  auto error = make_error(Code::usage, std::move(message));
  error.notes.push_back(command.empty() ? std::string{"`catena --help` lists the commands"}
                                        : fmt::format("`catena {} --help` shows its options", command));
  console.error(error);
  return ExitCode::usage;
}

/// Why -o is refused where a command prints no records; "" where it was not asked for.
std::string no_forms(const CLI::App& app) {
  const auto asks = [](const std::string& word) { return word.starts_with("-o") || word == "--output" || word.starts_with("--output="); };
  const auto words = app.remaining(true);
  return std::ranges::any_of(words, asks) ? "--output has no effect here: what this command prints has one form" : std::string{};
}

/// Words that the command does not take, in the order in which they were written: an option before others, which may be its value.
std::string unknown_words(const CLI::App& app, int argc, const char* const* argv) {
  const auto left = app.remaining(true);
  std::string first;
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    if (std::ranges::find(left, word) == left.end()) continue;
    if (word.starts_with('-')) return fmt::format("there is no option '{}'", word.substr(0, word.find('=')));
    if (first.empty()) first = word;
  }
  return first.empty() ? std::string{} : fmt::format("'{}' is one word too many", first);
}

/// The option that is nearest to an unknown one. An unknown verb of a command CLI11 does not name.
std::string suggestion(const CLI::App& app) {
  std::vector<std::string> verbs;
  for (const auto* verb : app.get_subcommands(nullptr)) {
    if (!verb->get_name().empty()) verbs.push_back(verb->get_name());
  }
  const auto words = app.remaining();
  if (app.get_require_subcommand_min() > 0 && app.get_subcommands().empty() && !words.empty() && !words.front().starts_with('-')) {
    return fmt::format("; there is no '{}'{}", words.front(), did_you_mean(words.front(), verbs));
  }
  std::vector<std::string> known;
  const auto& asked = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  for (const auto* option : asked.get_options()) {
    for (const auto& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const auto& given : app.remaining(true)) {
    if (!given.starts_with("--")) continue;
    if (auto hint = did_you_mean(given.substr(0, given.find('=')), known); !hint.empty()) return hint;
  }
  return {};
}

std::string spoken_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : "--" + option.get_lnames().front();
}

/// CLI11 does not name options that help leaves out.
std::string exclusion(const CLI::App& app) {
  for (const auto* option : app.get_options()) {
    for (const auto* other : option->get_excludes()) {
      if (option->count() > 0 && other->count() > 0) return fmt::format("{} and {} exclude each other", spoken_name(*option), spoken_name(*other));
    }
  }
  for (const auto* verb : app.get_subcommands()) {
    if (auto found = exclusion(*verb); !found.empty()) return found;
  }
  return {};
}

/// Nothing: the command line was parsed. CLI11's exceptions end here.
std::optional<ExitCode> parse(CLI::App& app, CLI::App& chosen, int argc, const char* const* argv, Console& console) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    console.out().write(wrapped(app.help(), console.columns()));
    return ExitCode::ok;
  } catch (const CLI::ExcludesError& error) {
    const auto found = exclusion(chosen);
    return wrong_usage(console, found.empty() ? error.what() : found, chosen.get_name());
  } catch (const CLI::ExtrasError& error) {
    if (const auto refused = no_forms(chosen); !refused.empty()) return wrong_usage(console, refused, chosen.get_name());
    const auto words = unknown_words(chosen, argc, argv);
    return wrong_usage(console, (words.empty() ? error.what() : words) + suggestion(chosen), chosen.get_name());
  } catch (const CLI::ParseError& error) {
    return wrong_usage(console, error.what() + suggestion(chosen), chosen.get_name());
  }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

ExitCode run_command_line(int argc, const char* const* argv, Console& console) {
  console.use_color(Coloring::automatic);  // until it is known what was asked for
  CLI::App app{"catena runs chains of tools and keeps what they have done.", "catena"};
  app.formatter(std::make_shared<PlainHelp>());
  app.footer(std::string{kFooter});
  app.set_help_flag("-h,--help", "show this help");
  app.require_subcommand(1);
  std::string_view wanted = argc > 1 ? argv[1] : "";
  if (wanted == "--version" || wanted == "-V") wanted = "version";
  const auto* const row = std::ranges::find(kCommands, wanted, &Command::name);
  if (row == kCommands.end()) {
    for (const auto& command : kCommands)
      app.add_subcommand(std::string{command.name}, std::string{command.summary})->group(std::string{command.group});
    app.footer(common_options() + "\n" + std::string{kFooter});
    if (wanted == "--help" || wanted == "-h" || wanted == "help") {
      console.out().write(wrapped(app.help(), console.columns()));
      return ExitCode::ok;
    }
    if (!wanted.empty()) return wrong_usage(console, fmt::format("there is no command '{}'{}", wanted, did_you_mean(wanted, command_names())), "");
    console.say(wrapped(app.help(), console.live() ? console.width() : 0));
    return ExitCode::usage;
  }
  // Only the options of the command that runs are built.
  auto* chosen = app.add_subcommand(std::string{row->name}, std::string{row->summary});
  const auto action = row->define(*chosen);
  auto color = std::string{"auto"};
  chosen->add_option("--color", color, "whether there are colours: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("");
  std::vector<const char*> arguments{argv, argv + argc};
  arguments[1] = row->name.data();
  if (const auto ended = parse(app, *chosen, argc, arguments.data(), console)) return *ended;
  console.use_color(color == "always" ? Coloring::always : color == "never" ? Coloring::never : Coloring::automatic);
  for (const auto& warning : config::unknown_variables(environment_names())) console.warning(warning);
  return action(console);
}

}  // namespace catena::cli
