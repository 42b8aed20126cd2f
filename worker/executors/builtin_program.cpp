// The builtin run_program: any program with any arguments, without a shell.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/characters.hpp"
#include "base/cut_text.hpp"
#include "worker/conversation.hpp"
#include "worker/executors/builtin_functions.hpp"
#include "worker/executors/core_support.hpp"
#include "worker/executors/exec.hpp"
#include "worker/process.hpp"
#include "worker/surroundings.hpp"
#include "worker/tool_process.hpp"
#include "worker/utf8.hpp"

namespace catena::worker::builtin {
namespace {

Result<std::vector<std::string>> command_of(const Arguments& arguments) {
  const auto given = arguments.required("command", lang::JsonKind::list);
  if (!given) return fail(given.error());
  std::vector<std::string> words;
  for (const auto& word : given->parse()) {
    const bool scalar = word.is_string() || word.is_number() || word.is_boolean();
    auto text = word.is_string() ? word.get<std::string>() : word.dump();
    if (!scalar || has_nul(text)) {
      return fail(
          arguments.error(Code::argument_type, fmt::format("command[{}]", words.size()), "must be a text (without NUL), a number or a boolean"));
    }
    words.push_back(std::move(text));
  }
  if (words.empty() || words.front().empty()) {
    return fail(arguments.error(Code::field_value, "command", "names no program; give a list like [\"sort\", \"-u\"]"));
  }
  return words;
}

Result<Environment> environment_of(const Arguments& arguments, const Task& task, const ExecutorOptions& options) {
  Environment environment{options};
  const auto given = arguments.optional("environment", lang::JsonKind::object);
  if (!given) return fail(given.error());
  const auto variables = *given ? (*given)->parse() : Json::object();
  for (const auto& [name, value] : variables.items()) {
    const bool scalar = value.is_string() || value.is_number() || value.is_boolean();
    const auto text = value.is_string() ? value.get<std::string>() : value.dump();
    if (!is_identifier(name) || !scalar || has_nul(text)) {
      return fail(arguments.error(Code::argument_type, fmt::format("environment.{}", cut_text(name, 80)),
                                  "must be the name of a variable with a text (without NUL), a number or a boolean"));
    }
    environment.set(name, text);
  }
  // last, so that a program can trust them
  environment.set("CATENA_IDEMPOTENCY_KEY", task.key);
  environment.set("CATENA_ATTEMPT", std::to_string(task.attempt));
  if (options.keeper != nullptr) environment.set(std::string{kKeeperVariable}, options.keeper->mark().substr(kKeeperVariable.size() + 1));
  task.context.empty() ? environment.remove("CATENA_CONTEXT") : environment.set("CATENA_CONTEXT", task.context);
  put_trace(task, environment);
  return environment;
}

/// An absolute path, or a name that is looked up on PATH.
Result<std::string> program_of(const std::string& written, const Environment& environment) {
  auto error = make_error(Code::program_not_found,
                          fmt::format("builtin 'run_program': there is no program '{}'; give an absolute path, or a name on PATH", written));
  if (written.starts_with('/')) return ::access(written.c_str(), X_OK) == 0 ? Result<std::string>{written} : fail(std::move(error));
  const auto path = environment.value("PATH");
  if (written.find('/') == std::string::npos) {
    for (std::size_t at = 0; at <= path.size();) {
      const auto end = std::min(path.find(':', at), path.size());
      // an empty entry would mean the working directory of catena
      const auto file = path.substr(at, end - at) + "/" + written;
      if (file.starts_with('/') && end > at && ::access(file.c_str(), X_OK) == 0) return file;
      at = end + 1;
    }
  }
  return fail(std::move(error));
}

Result<std::vector<int>> exit_codes(const Arguments& arguments) {
  const auto given = arguments.optional("expected_exit_codes", lang::JsonKind::list);
  if (!given) return fail(given.error());
  if (!*given) return std::vector{0};
  std::vector<int> codes;
  for (const auto& code : (*given)->parse()) {
    if (!code.is_number_integer() || code < 0 || code > 255) {
      return fail(arguments.error(Code::argument_type, "expected_exit_codes", "must be a list of integers from 0 to 255"));
    }
    codes.push_back(code.get<int>());
  }
  return codes;
}

Result<lang::JsonText> exited(const std::string& program, const Conversation& talk, const std::vector<int>& expected) {
  const auto errors = to_utf8(talk.stderr_tail);
  if (talk.status.signal != 0) {
    const auto signal = signal_name(talk.status.signal);
    return fail(process_error(Code::tool_killed, fmt::format("'{}' was ended by signal {}", program, signal), Json{{"signal", signal}}, errors));
  }
  if (std::ranges::find(expected, talk.status.code) == expected.end()) {
    return fail(process_error(talk.status.code == kExitTemporary ? Code::tool_temporary : Code::tool_failed,
                              fmt::format("'{}' failed with exit code {}", program, talk.status.code), Json{{"exit_code", talk.status.code}},
                              errors));
  }
  lang::JsonText response{fmt::format(R"({{"exit_code":{},"stderr":)", talk.status.code)};
  append_quoted(response.text, errors);
  response.text += R"(,"stdout":)";
  append_quoted(response.text, talk.output);
  response.text += '}';
  return response;
}

}  // namespace

Result<lang::JsonText> run_program(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  auto command = command_of(arguments);
  if (!command) return fail(command.error());
  const auto input = arguments.find("stdin");
  const auto fed = !input ? std::string{} : input->kind() == lang::JsonKind::string ? input->string() : std::string{input->text()};
  auto environment = environment_of(arguments, task, around.options);
  if (!environment) return fail(environment.error());
  const auto expected = exit_codes(arguments);
  if (!expected) return fail(expected.error());
  const auto program = program_of(command->front(), *environment);
  if (!program) return fail(program.error());
  if (around.stop.stop_requested()) return fail(Code::cancelled, describe(task) + " was cancelled before it began");

  const std::vector<std::string> words{command->begin() + 1, command->end()};
  auto child = ChildProcess::start({.program = *program,
                                    .args = words,
                                    .environment = environment->pointers(),
                                    .input = fed,
                                    .keeper = around.options.keeper,
                                    .user = around.options.user.get()});
  if (!child) return fail(std::move(child).error());
  const auto talk = converse(std::move(*child),
                             {.output_bytes_max = around.options.output_bytes_max,
                              .stderr_bytes_kept = around.options.stderr_bytes_kept,
                              .timeout = task.timeout,
                              .term_grace = std::clamp(around.options.term_grace, Millis{0}, kTermGraceMax)},
                             around.stop);
  const auto errors = [&] { return to_utf8(talk.stderr_tail); };
  switch (talk.ending) {
    case ConversationEnding::exited: return exited(command->front(), talk, *expected);
    case ConversationEnding::timed_out:
      return fail(process_error(Code::tool_timeout, fmt::format("'{}' was killed after its timeout of {}", command->front(), to_string(task.timeout)),
                                Json::object(), errors()));
    case ConversationEnding::stopped:
      return fail(process_error(Code::cancelled, fmt::format("'{}' was cancelled while it ran", command->front()), Json::object(), errors()));
    case ConversationEnding::output_too_large:
      return fail(process_error(Code::tool_output_too_large,
                                fmt::format("'{}' wrote more than {} bytes to stdout", command->front(), around.options.output_bytes_max),
                                Json::object(), errors()));
    case ConversationEnding::silent:
    case ConversationEnding::garbled: break;  // it has no notes
  }
  return fail(Code::internal, "a process ended in a way that does not exist");
}

}  // namespace catena::worker::builtin
