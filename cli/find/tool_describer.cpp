#include "cli/find/tool_describer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/descriptor_io.hpp"
#include "base/fd.hpp"
#include "base/hash.hpp"
#include "base/suggest.hpp"
#include "lang/program/endpoint.hpp"
#include "lang/program/reference.hpp"
#include "worker/serve_child.hpp"
#include "worker/served_tools.hpp"
#include "worker/surroundings.hpp"
#include "worker/tool_user.hpp"
#include "worker/utf8.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kProgramsKnownMax = 256;
constexpr std::size_t kStderrBytes = 4096;
constexpr Millis kDescribedGrace{500};

struct Interpreter {
  std::string_view ending;
  std::string_view program;
};
constexpr std::array kInterpreters{Interpreter{".py", "python3"}, Interpreter{".mjs", "node"}, Interpreter{".cjs", "node"},
                                   Interpreter{".js", "node"}};

/// Of the contents; a file that cannot be read has none.
std::string stamp_of(const std::vector<fs::path>& files) {
  std::string hashes;
  for (const auto& path : files) {
    const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    std::string content;
    if (file.is_open() && read_all(file.get(), lang::kProgramBytesMax, content) == 0) hashes += sha256_hex(content);
    hashes += '\n';
  }
  return sha256_hex(hashes);
}

/// What it says that it is made of; patterns are passed over.
std::vector<fs::path> named_files(const lang::ServedTools& tools, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& [name, said] : tools) {
    const auto list = said.find("files");
    if (list == said.end() || !list->is_array()) continue;
    for (const auto& entry : *list) {
      if (!entry.is_string() || entry.get_ref<const std::string&>().find('\0') != std::string::npos) continue;
      auto file = (folder / entry.get<std::string>()).lexically_normal();
      std::error_code failed;
      if (fs::is_regular_file(file, failed) && std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
    }
  }
  return files;
}

std::string shown_command(const ServedProgram& program) { return fmt::format("{} {}", program.program, fmt::join(program.arguments, " ")); }

tl::unexpected<Error> undescribed(const ServedProgram& program, std::string_view why, std::string_view stderr_text = {}) {
  auto error =
      make_error(Code::file_unreadable, fmt::format("'{}' was started to describe the tools that it serves, and {}", shown_command(program), why));
  if (!stderr_text.empty()) error.notes.push_back(fmt::format("it wrote to stderr: {}", stderr_text));
  return fail(std::move(error));
}

std::string why_undescribed(worker::Heard heard, worker::ExitStatus status, Millis timeout) {
  if (heard == worker::Heard::timed_out) return fmt::format("did not answer within {}", to_string(timeout));
  if (heard == worker::Heard::line_too_large) return fmt::format("answered with more than {} bytes", worker::kDescriptionBytesMax);
  if (status.signal != 0) return fmt::format("was ended by signal {} before it answered", status.signal);
  return fmt::format("ended with exit code {} before it answered", status.code);
}

/// As a word of an endpoint; nothing: no quotes are left that are not in it.
std::optional<std::string> quoted_word(const std::string& word) {
  if (word.find_first_of(" \t\r\n'\"#") == std::string::npos) return word;
  const char quote = word.find('\'') == std::string::npos ? '\'' : '"';
  if (word.find(quote) != std::string::npos) return std::nullopt;
  return fmt::format("{0}{1}{0}", quote, word);
}

Error no_such_tool(const fs::path& file, const std::string& tool, const lang::ServedTools& tools) {
  std::vector<std::string> names;
  for (const auto& [name, said] : tools) names.push_back(name);
  auto error = make_error(Code::definition_not_found, fmt::format("'{}' serves no tool '{}'{}", file.string(), tool, did_you_mean(tool, names)));
  error.notes.push_back(fmt::format("it serves {}", names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  return error;
}

/// The program of a definition's endpoint, with arguments that are files beside the definition.
ServedProgram served_program(const lang::Endpoint& endpoint) {
  const auto beside = fs::path{endpoint.from}.parent_path();
  ServedProgram program{endpoint.target, lang::command_arguments(endpoint), beside, {}};
  for (auto& argument : program.arguments) {
    const fs::path written{argument};
    std::error_code failed;
    if (written.empty() || written.is_absolute() || argument.front() == '-') continue;
    const auto file = beside / written;
    if (!fs::is_regular_file(file, failed)) continue;
    argument = file.string();
    program.files.push_back(file);
  }
  if (program.files.empty()) program.files.emplace_back(endpoint.target);  // else it is an interpreter
  return program;
}

Result<void> check_description(const lang::Step& step, const lang::ToolCall& call, ToolDescriber& describer) {
  const auto tool = lang::served_tool(call.endpoint);
  if (call.endpoint.from.ends_with("#" + tool)) return {};
  const auto tools = describer.tools_of(served_program(call.endpoint));
  if (!tools) return fail(tools.error());
  if (!*tools) return {};
  const auto place = catena::Place{call.endpoint.from};
  const auto said = (*tools)->find(tool);
  if (said == (*tools)->end()) {
    auto error = no_such_tool(call.endpoint.target, tool, **tools);
    error.where = place;
    return fail(std::move(error));
  }
  auto differs = lang::difference({{"arguments", lang::fields_json(step.arguments)}, {"responses", lang::fields_json(step.responses)}}, said->second);
  if (differs.empty() && said->second.value("effect", Json()) == "at_most_once" && step.effect != lang::EffectClass::at_most_once)
    differs = "the program says that its effect is at_most_once, and the definition does not";
  if (differs.empty()) return {};
  return fail(Code::field_value,
              fmt::format("tool '{}' is described otherwise by its program: {}. `catena tools import --force` writes the definition anew", call.name,
                          differs),
              place);
}

}  // namespace

std::optional<ToolOfFile> tool_of_file(std::string_view path) {
  const auto hash = path.rfind('#');
  if (hash == std::string_view::npos || hash == 0 || path[hash - 1] == '/' || !lang::is_step_id(path.substr(hash + 1))) return std::nullopt;
  return ToolOfFile{std::string{path.substr(0, hash)}, std::string{path.substr(hash + 1)}};
}

Result<std::shared_ptr<const lang::ServedTools>> ToolDescriber::tools_of(const ServedProgram& program) {
  auto key = program.program;
  for (const auto& argument : program.arguments) key += '\n' + argument;
  std::optional<Known> known;
  {
    const std::lock_guard lock{mutex_};
    if (const auto found = known_.find(key); found != known_.end()) known = found->second;
  }
  if (known && stamp_of(known->files) == known->stamp) return known->tools;
  auto tools = ask(program);
  if (!tools) return tools;
  Known fresh{{}, program.files, *tools};
  if (fresh.tools) std::ranges::copy(named_files(*fresh.tools, program.folder), std::back_inserter(fresh.files));
  fresh.stamp = stamp_of(fresh.files);
  const std::lock_guard lock{mutex_};
  if (known_.size() >= kProgramsKnownMax) known_.clear();
  known_.insert_or_assign(std::move(key), std::move(fresh));
  return tools;
}

Result<std::shared_ptr<const lang::ServedTools>> ToolDescriber::ask(const ServedProgram& program) const {
  worker::ExecutorOptions options;
  options.env_pass = options_.env_pass;
  if (!options_.run_as.empty()) {
    auto user = worker::find_tool_user(options_.run_as);
    if (!user) return fail(std::move(user).error());
    options.user = std::make_shared<const worker::ToolUser>(std::move(*user));
  }
  worker::Environment environment{options};
  auto process = worker::ChildProcess::start({.program = program.program,
                                              .args = program.arguments,
                                              .environment = environment.pointers(),
                                              .input = {},
                                              .then = worker::Input::stays_open,
                                              .directory = nullptr,
                                              .keeper = nullptr,
                                              .user = options.user.get()});
  if (!process) return undescribed(program, "cannot be started: " + process.error().message);
  auto child = std::make_unique<worker::ServeChild>(std::move(*process), kStderrBytes);
  const auto heard =
      child->ask(worker::kDescribeQuestion, {.line_bytes_max = worker::kDescriptionBytesMax, .timeout = options_.timeout}, worker::StopToken{});
  if (heard != worker::Heard::answered) {
    const auto status = child->end(kDescribedGrace);
    return undescribed(program, why_undescribed(heard, status, options_.timeout), worker::to_utf8(child->take_stderr()));
  }
  auto said = worker::read_description(child->answer());
  std::vector<std::unique_ptr<worker::ServeChild>> ended;
  ended.push_back(std::move(child));
  worker::ServeChild::end_all(std::move(ended), kDescribedGrace);
  if (!said) return undescribed(program, "what it wrote to stdout is no description: " + said.error().message);
  if (!said->knows_describe) return nullptr;
  return std::make_shared<const lang::ServedTools>(std::move(said->tools));
}

Result<ServeCommand> serve_command(const fs::path& file, const lang::SourceFinder& finder) {
  if (::access(file.c_str(), X_OK) == 0) return ServeCommand{{file.string(), {}, file.parent_path(), {file}}, {}};
  const auto known = std::ranges::find(kInterpreters, file.extension().string(), &Interpreter::ending);
  if (known == kInterpreters.end()) {
    return fail(Code::definition_not_found,
                fmt::format("'{}' serves no tools: make it executable (chmod +x), or end its name in .py, .mjs, .cjs or .js", file.string()));
  }
  auto interpreter = finder.program(known->program, file.string());
  if (!interpreter) return fail(std::move(interpreter).error());
  return ServeCommand{{std::move(*interpreter), {file.string()}, file.parent_path(), {file}}, std::string{known->program}};
}

Result<std::string> written_command(const ServeCommand& command, const fs::path& path) {
  const auto word = quoted_word(path.generic_string());
  if (!word) return fail(Code::definition_not_found, fmt::format("the path of the program '{}' has both kinds of quotes; rename it", path.string()));
  return command.interpreter.empty() ? *word : fmt::format("{} {}", command.interpreter, *word);
}

Result<lang::Source> served_definition(const fs::path& file, const std::string& tool, const lang::SourceFinder& finder, ToolDescriber& describer) {
  const auto command = serve_command(file, finder);
  if (!command) return fail(command.error());
  const auto written = written_command(*command, file.filename());
  if (!written) return fail(written.error());
  const auto tools = describer.tools_of(command->program);
  if (!tools) return fail(tools.error());
  if (!*tools) {
    return fail(Code::definition_not_found, fmt::format("'{}' does not describe the tools that it serves: it does not know the method `describe`; "
                                                        "write a definition for '{}' with the endpoint serve:{}",
                                                        file.string(), tool, *written));
  }
  const auto said = (*tools)->find(tool);
  if (said == (*tools)->end()) return fail(no_such_tool(file, tool, **tools));
  auto text = lang::definition_text(tool, said->second, *written);
  if (!text) return undescribed(command->program, text.error().message);
  return lang::Source{fmt::format("{}#{}", file.string(), tool), std::move(*text)};
}

Result<void> check_descriptions(const lang::Package& package, ToolDescriber& describer) {
  // many steps call one tool
  std::set<std::tuple<std::string, std::vector<std::string>, lang::EffectClass>> checked_before;
  for (const auto& [key, program] : package.programs) {
    for (const auto& step : program->steps) {
      const auto* call = std::get_if<lang::ToolCall>(&step.call);
      if (call == nullptr || lang::served_tool(call->endpoint).empty()) continue;
      auto described = lang::described_arguments(call->endpoint, step.arguments, step.responses);
      if (!checked_before.emplace(lang::bundle_key(call->endpoint), std::move(described), step.effect).second) continue;
      if (auto checked = check_description(step, *call, describer); !checked) return checked;
    }
  }
  return {};
}

}  // namespace catena::cli
