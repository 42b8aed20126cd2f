#include "worker/executors/exec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "worker/conversation.hpp"
#include "worker/surroundings.hpp"
#include "worker/tool_process.hpp"
#include "worker/utf8.hpp"
#include "worker/work_dir.hpp"

namespace catena::worker {
namespace {

constexpr std::size_t kStdoutBytesShown = 120;

class ExecExecutor final : public Executor {
 public:
  explicit ExecExecutor(const ExecutorOptions& options) : options_{options}, inherited_{options} {
    options_.term_grace = std::clamp(options_.term_grace, Millis{0}, kTermGraceMax);
  }

  [[nodiscard]] std::string_view kind() const override { return "exec"; }

  [[nodiscard]] Outcome run(const Task& task, const StopToken& stop) override {
    if (stop.stop_requested()) return {.response = fail(Code::cancelled, describe(task) + " was cancelled before it began"), .stderr_tail = {}};
    auto tool = variables_of(task, inherited_, options_.secrets.get());
    if (!tool) return {.response = fail(std::move(tool).error()), .stderr_tail = {}};
    describe_attempt(task, tool->environment);
    AttemptLog log{options_.logs.get(), task, tool->masks};
    AttemptVoice voice{options_.notify, task, tool->masks, log, std::chrono::steady_clock::now()};
    auto outcome = voice.end(tool->masks.clean(run_with(*tool, task, stop, log, voice)));
    log.end(!outcome.response.has_value());
    return outcome;
  }

 private:
  static void describe_attempt(const Task& task, Environment& environment) {
    environment.set("CATENA_IDEMPOTENCY_KEY", task.key);
    environment.set("CATENA_ATTEMPT", std::to_string(task.attempt));
    environment.set("CATENA_TOOL", task.name);
    environment.set("CATENA_NOTIFY_FD", std::to_string(kNotesFd));
    if (!task.resume_from.empty()) environment.set("CATENA_RESUME_FROM", task.resume_from);
    if (!task.context.empty()) environment.set("CATENA_CONTEXT", task.context);
    put_trace(task, environment);
  }

  [[nodiscard]] Outcome run_with(ToolVariables& tool, const Task& task, const StopToken& stop, AttemptLog& log, AttemptVoice& voice) const {
    if (!WorkDir::has_files(task) && !task.surroundings.work_directory) return run_in(nullptr, tool, task, stop, log, voice);
    const auto work = WorkDir::make(task, options_.files, options_.user.get());
    if (!work) return {.response = fail(work.error()), .stderr_tail = {}};
    tool.environment.set("CATENA_WORK_DIR", work->path());
    auto outcome = run_in(&*work, tool, task, stop, log, voice);
    if (outcome.response) outcome.response = work->collect(*outcome.response);
    return outcome;
  }

  /// `work` null: it has no files and no directory of its own.
  [[nodiscard]] Outcome run_in(const WorkDir* work, ToolVariables& tool, const Task& task, const StopToken& stop, AttemptLog& log,
                               AttemptVoice& voice) const {
    const auto& surroundings = task.surroundings;
    const auto directory = surroundings.directory.empty() && work != nullptr ? work->path() : surroundings.directory;
    const auto program = directory.empty() ? task.endpoint.target : std::filesystem::absolute(task.endpoint.target).string();
    auto child = ChildProcess::start({.program = program,
                                      .args = task.endpoint.args,
                                      .environment = tool.environment.pointers(),
                                      .input = work == nullptr ? task.arguments.text : work->arguments().text,
                                      .then = Input::ends,
                                      .directory = directory.empty() ? nullptr : directory.c_str(),
                                      .keeper = options_.keeper,
                                      .user = options_.user.get(),
                                      .notes = true});
    if (!child) {
      child.error().message = describe(task) + ": " + child.error().message;
      return {.response = fail(std::move(child).error()), .stderr_tail = {}};
    }
    auto talk = converse(std::move(*child),
                         {.output_bytes_max = options_.output_bytes_max,
                          .stderr_bytes_kept = options_.stderr_bytes_kept,
                          .timeout = task.timeout,
                          .term_grace = options_.term_grace},
                         stop, log.keeps() ? &log : nullptr, &voice);
    tool.masks.clean_end(talk.stderr_tail);
    auto stderr_tail = to_utf8(talk.stderr_tail);
    auto response = respond(task, talk, stderr_tail, tool.masks, voice);
    log.set_output(std::move(talk.output));
    return {.response = std::move(response), .stderr_tail = std::move(stderr_tail)};
  }

  [[nodiscard]] Result<lang::JsonText> respond(const Task& task, const Conversation& talk, std::string_view stderr_tail, const Masks& masks,
                                               const AttemptVoice& voice) const {
    switch (talk.ending) {
      case ConversationEnding::exited: return exited(task, talk, stderr_tail, masks);
      case ConversationEnding::timed_out:
        return failed(Code::tool_timeout, fmt::format("{} was killed after its timeout of {}", describe(task), to_string(task.timeout)),
                      Json::object(), stderr_tail);
      case ConversationEnding::stopped: return failed(Code::cancelled, describe(task) + " was cancelled while it ran", Json::object(), stderr_tail);
      case ConversationEnding::output_too_large:
        return failed(
            Code::tool_output_too_large,
            fmt::format("{} wrote more than {} bytes to stdout; return a path instead of the content", describe(task), options_.output_bytes_max),
            Json::object(), stderr_tail);
      case ConversationEnding::silent: return failed(Code::tool_timeout, silent_error(task).message, Json::object(), stderr_tail);
      case ConversationEnding::garbled: return fail(voice.garbage());
    }
    return fail(Code::internal, "a process ended in a way that does not exist");
  }

  static Result<lang::JsonText> exited(const Task& task, const Conversation& talk, std::string_view stderr_tail, const Masks& masks) {
    const auto [code, signal] = talk.status;
    if (signal != 0) {
      const auto name = signal_name(signal);
      return failed(Code::tool_killed, fmt::format("{} was ended by signal {}", describe(task), name), Json{{"signal", name}}, stderr_tail);
    }
    if (code != 0) {
      return failed(code == kExitTemporary ? Code::tool_temporary : Code::tool_failed,
                    fmt::format("{} failed with exit code {}", describe(task), code), Json{{"exit_code", code}}, stderr_tail,
                    cleaned(talk.output, masks));
    }
    if (is_blank(talk.output)) return lang::JsonText{"{}"};
    auto response = lang::parse_json_text(talk.output);
    const auto shown = [&] { return to_utf8(std::string_view{cleaned(talk.output, masks)}.substr(0, kStdoutBytesShown)); };
    if (!response) {
      auto error = failed(
          Code::tool_output_invalid,
          fmt::format("{} exited with 0, but its stdout is not JSON: {}; it begins with: {}", describe(task), response.error().message, shown()),
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

  /// Before it is cut.
  static std::string cleaned(std::string output, const Masks& masks) {
    masks.clean(output);
    return output;
  }

  static tl::unexpected<Error> failed(Code code, std::string message, Json details, std::string_view stderr_tail, std::string_view output = {}) {
    return fail(process_error(code, std::move(message), std::move(details), stderr_tail, output));
  }

  ExecutorOptions options_;
  Environment inherited_;
};

}  // namespace

std::unique_ptr<Executor> make_exec_executor(const ExecutorOptions& options) { return std::make_unique<ExecExecutor>(options); }

}  // namespace catena::worker
