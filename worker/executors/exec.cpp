#include "worker/executors/exec.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "worker/conversation.hpp"
#include "worker/utf8.hpp"

namespace catena::worker {
namespace {

/// How much of stderr goes into an error, which is stored; all that is kept goes into the outcome.
constexpr std::size_t kStderrBytesInError = 4UL << 10U;
constexpr std::size_t kOutputBytesShown = 120;

/// What a tool may know of the worker's environment. Everything else, secrets first of all, stays out.
constexpr std::array kInherited{"PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER"};

std::vector<std::string> inherited_environment() {
  std::vector<std::string> variables;
  for (const auto* variable : kInherited) {
    if (const auto* value = std::getenv(variable)) variables.push_back(fmt::format("{}={}", variable, value));
  }
  return variables;
}

/// The environment of one attempt: the inherited part is shared, the rest is its own. Must outlive the start of the process.
class Environment {
 public:
  Environment(const std::vector<std::string>& inherited, const Task& task)
      : own_{"CATENA_IDEMPOTENCY_KEY=" + task.key, "CATENA_ATTEMPT=" + std::to_string(task.attempt), "CATENA_TOOL=" + task.name} {
    // execve does not write to them
    for (const auto& variable : inherited) pointers_.push_back(const_cast<char*>(variable.c_str()));
    for (auto& variable : own_) pointers_.push_back(variable.data());
    pointers_.push_back(nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  [[nodiscard]] char* const* get() const { return pointers_.data(); }

 private:
  std::array<std::string, 3> own_;
  std::vector<char*> pointers_;
};

std::string_view tail(std::string_view text, std::size_t bytes) { return text.substr(text.size() - std::min(text.size(), bytes)); }

/// The last line of stderr says most of the time what went wrong.
std::string_view last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  return tail(text.substr(text.find_last_of('\n') + 1), 200);
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

class ExecExecutor final : public Executor {
 public:
  explicit ExecExecutor(const ExecutorOptions& options)
      : options_{options}, inherited_{inherited_environment()} {
    options_.term_grace = std::clamp(options_.term_grace, Millis{0}, kTermGraceMax);
  }

  [[nodiscard]] std::string_view kind() const override { return "exec"; }

  [[nodiscard]] Outcome run(const Task& task, const StopToken& stop) override {
    if (stop.stop_requested()) return {.response = fail(Code::cancelled, describe(task) + " was cancelled before it began"), .stderr_tail = {}};
    const Environment environment{inherited_, task};
    auto child = ChildProcess::start({.program = task.endpoint.target,
                                      .args = task.endpoint.args,
                                      .environment = environment.get(),
                                      .input = task.arguments.text});
    if (!child) {
      child.error().message = describe(task) + ": " + child.error().message;
      return {.response = fail(std::move(child).error()), .stderr_tail = {}};
    }
    auto talk = converse(std::move(*child),
                         {.output_bytes_max = options_.output_bytes_max,
                          .stderr_bytes_kept = options_.stderr_bytes_kept,
                          .timeout = task.timeout,
                          .term_grace = options_.term_grace},
                         stop);
    auto stderr_tail = to_utf8(talk.stderr_tail);
    auto response = respond(task, talk, stderr_tail);
    return {.response = std::move(response), .stderr_tail = std::move(stderr_tail)};
  }

 private:
  [[nodiscard]] Result<lang::JsonText> respond(const Task& task, const Conversation& talk, std::string_view stderr_tail) const {
    switch (talk.ending) {
      case Ending::exited: return exited(task, talk, stderr_tail);
      case Ending::timed_out:
        return failed(Code::tool_timeout, fmt::format("{} was killed after its timeout of {}", describe(task), to_string(task.timeout)),
                      Json::object(), stderr_tail);
      case Ending::stopped: return failed(Code::cancelled, describe(task) + " was cancelled while it ran", Json::object(), stderr_tail);
      case Ending::output_too_large:
        return failed(Code::tool_output_too_large,
                      fmt::format("{} wrote more than {} bytes to stdout; return a path instead of the content", describe(task),
                                  options_.output_bytes_max),
                      Json::object(), stderr_tail);
    }
    return fail(Code::internal, "a process ended in a way that does not exist");
  }

  static Result<lang::JsonText> exited(const Task& task, const Conversation& talk, std::string_view stderr_tail) {
    const auto [code, signal] = talk.status;
    if (signal != 0) {
      const auto* abbreviation = ::sigabbrev_np(signal);
      const auto signal_name = abbreviation == nullptr ? std::to_string(signal) : fmt::format("SIG{}", abbreviation);
      return failed(Code::tool_killed, fmt::format("{} was ended by signal {}", describe(task), signal_name), Json{{"signal", signal_name}},
                    stderr_tail);
    }
    if (code != 0) {
      return failed(code == kExitTemporary ? Code::tool_temporary : Code::tool_failed,
                    fmt::format("{} failed with exit code {}", describe(task), code), Json{{"exit_code", code}}, stderr_tail);
    }
    if (is_blank(talk.output)) return lang::JsonText{"{}"};
    auto response = lang::parse_json_text(talk.output);
    const auto shown = [&] { return to_utf8(std::string_view{talk.output}.substr(0, kOutputBytesShown)); };
    if (!response) {
      auto error = failed(Code::tool_output_invalid,
                          fmt::format("{} exited with 0, but its stdout is not JSON: {}; it begins with: {}", describe(task),
                                      response.error().message, shown()),
                          Json{{"exit_code", 0}}, stderr_tail);
      error.value().cause = std::make_shared<const Error>(std::move(response).error());
      return error;
    }
    if (const auto kind = lang::JsonView{*response}.kind(); kind != lang::JsonKind::object) {
      return failed(Code::tool_output_invalid,
                    fmt::format("{} exited with 0, but its stdout is a JSON {} and not an object; it begins with: {}", describe(task),
                                lang::name(kind), shown()),
                    Json{{"exit_code", 0}}, stderr_tail);
    }
    return response;
  }

  static tl::unexpected<Error> failed(Code code, std::string message, Json details, std::string_view stderr_tail) {
    if (const auto line = last_line(stderr_tail); !line.empty()) message += fmt::format("; stderr ends with: {}", to_utf8(line));
    // cutting bytes may cut a character
    if (!stderr_tail.empty()) details["stderr"] = to_utf8(tail(stderr_tail, kStderrBytesInError));
    auto error = make_error(code, std::move(message));
    if (!details.empty()) error.details = std::move(details);
    return fail(std::move(error));
  }

  ExecutorOptions options_;
  std::vector<std::string> inherited_;
};

}  // namespace

std::unique_ptr<Executor> make_exec_executor(const ExecutorOptions& options) { return std::make_unique<ExecExecutor>(options); }

}  // namespace catena::worker
