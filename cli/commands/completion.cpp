#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>

#include "cli/commands/commands.hpp"

namespace catena::cli {
namespace {

constexpr std::array kTakeChains{"show",   "explain", "history", "resume", "retry", "pause",   "unpause", "amend",
                                 "signal", "approve", "reject",  "cancel", "kill",  "resolve", "fork"};

struct Row {
  std::string name;
  std::string summary;
  std::vector<std::string> flags;  // "--output"
  bool takes_chain = false;
  std::vector<std::string> verbs;  // "put", of `catena fs put`
};

/// Commands and options as the parser knows them, so that completion cannot differ from what is understood.
std::vector<Row> rows() {
  std::vector<Row> found;
  for (const auto& command : commands()) {
    CLI::App app;
    static_cast<void>(command.define(app));
    Row row{std::string{command.name}, std::string{command.summary}, {}, std::ranges::find(kTakeChains, command.name) != kTakeChains.end(), {}};
    const auto add_flags = [&](const CLI::App& from) {
      for (const auto* option : from.get_options()) {
        for (const auto& name : option->get_lnames()) row.flags.push_back("--" + name);
      }
    };
    add_flags(app);
    for (const auto* group : app.get_subcommands(nullptr)) {
      add_flags(*group);
      if (!group->get_name().empty()) row.verbs.push_back(group->get_name());
    }
    std::ranges::sort(row.flags);
    row.flags.erase(std::unique(row.flags.begin(), row.flags.end()), row.flags.end());
    found.push_back(std::move(row));
  }
  return found;
}

std::string names(const std::vector<Row>& all) {
  std::string text;
  for (const auto& row : all) text += (text.empty() ? "" : " ") + row.name;
  return text;
}

std::string bash_script() {
  const auto all = rows();
  auto text = fmt::format(
      "# catena completion for bash: source <(catena completion bash)\n"
      "_catena() {{\n"
      "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" flags=\"\" chains=\"\" verbs=\"\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n",
      names(all));
  for (const auto& row : all)
    text += fmt::format("    {}) flags=\"{}\"; chains={}; verbs=\"{}\" ;;\n", row.name, fmt::join(row.flags, " "), row.takes_chain ? "yes" : "",
                        fmt::join(row.verbs, " "));
  text +=
      "  esac\n"
      "  if [[ \"$word\" == -* ]]; then COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  elif [ -n \"$chains\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then COMPREPLY=($(compgen -W \"$(catena list -o ids 2>/dev/null)\" -- \"$word\"))\n"
      "  elif [ -n \"$verbs\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then COMPREPLY=($(compgen -W \"$verbs\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}\n"
      "complete -o filenames -F _catena catena\n";
  return text;
}

/// What zsh completes after the command.
std::string second_words(const Row& row) {
  if (row.takes_chain) return "(( CURRENT == 3 )) && compadd -- ${(f)\"$(catena list -o ids 2>/dev/null)\"}; ";
  return row.verbs.empty() ? std::string{} : fmt::format("(( CURRENT == 3 )) && compadd -- {}; ", fmt::join(row.verbs, " "));
}

std::string zsh_script() {
  const auto all = rows();
  std::string text =
      "#compdef catena\n"
      "_catena() {\n"
      "  local -a catena_commands\n"
      "  catena_commands=(\n";
  for (const auto& row : all) text += fmt::format("    '{}:{}'\n", row.name, row.summary);
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then _describe command catena_commands; return; fi\n"
      "  case \"$words[2]\" in\n";
  for (const auto& row : all) {
    const auto words = second_words(row);
    text += fmt::format("    {}) {}compadd -- {} ;;\n", row.name, words, fmt::join(row.flags, " "));
  }
  text +=
      "  esac\n"
      "  _files\n"
      "}\n"
      "compdef _catena catena\n";
  return text;
}

std::string fish_script() {
  const auto all = rows();
  std::string text;
  for (const auto& row : all) {
    text += fmt::format("complete -c catena -n __fish_use_subcommand -f -a {} -d '{}'\n", row.name, row.summary);
    for (const auto& flag : row.flags)
      text += fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}' -l {}\n", row.name, flag.substr(2));
    if (!row.verbs.empty())
      text += fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}' -a '{}'\n", row.name, fmt::join(row.verbs, " "));
    if (row.takes_chain)
      text += fmt::format("complete -c catena -n '__fish_seen_subcommand_from {}' -f -a '(catena list -o ids 2>/dev/null)'\n", row.name);
  }
  return text;
}

}  // namespace

Action define_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}))->option_text("SHELL");
  return [shell](Console& console) {
    console.out().write(*shell == "bash" ? bash_script() : *shell == "zsh" ? zsh_script() : fish_script());
    return ExitCode::ok;
  };
}

}  // namespace catena::cli
