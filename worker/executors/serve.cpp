#include "worker/executors/serve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <vector>

#include "lang/program/description.hpp"
#include "worker/serve_child.hpp"
#include "worker/served_tools.hpp"
#include "worker/surroundings.hpp"
#include "worker/tool_process.hpp"
#include "worker/utf8.hpp"
#include "worker/work_dir.hpp"

namespace catena::worker {
namespace {

constexpr std::size_t kAnswerBytesShown = 200;
/// What a message adds to its response: `{"jsonrpc":…,"id":…,"result":…}`, with room for a tool's own spacing.
constexpr std::size_t kEnvelopeBytes = 1024;
/// Of an error's data, which is stored.
constexpr std::size_t kDataBytesMax = 4UL << 10U;

/// A message that came back, as views of its text.
struct Message {
  std::optional<lang::JsonView> id;
  std::optional<lang::JsonView> result;
  std::optional<lang::JsonView> error;
};

Message read_message(const lang::JsonText& text) {
  Message message;
  lang::JsonView{text}.for_each_member([&](std::string_view key, lang::JsonView value) {
    if (key == "id") message.id = value;
    if (key == "result") message.result = value;
    if (key == "error" && !value.is_null()) message.error = value;
    return true;
  });
  return message;
}

/// One line, whatever white space the arguments have. `work` null: the tool has no files.
std::string request_line(const Task& task, const WorkDir* work, std::uint64_t id) {
  const auto& arguments = work == nullptr ? task.arguments.text : work->arguments().text;
  std::string line;
  line.reserve(arguments.size() + task.key.size() + task.context.size() + tracestate_of(task).size() + 256);
  line += R"({"jsonrpc":"2.0","id":)";
  line += std::to_string(id);
  line += R"(,"method":"call","params":{"arguments":)";
  const auto begin = line.size();
  line += arguments;
  // JSON has a line break only between its tokens
  std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '\n', ' ');
  if (const auto tool = lang::served_tool(task.endpoint); !tool.empty()) {
    line += R"(,"tool":)";
    append_quoted(line, tool);
  }
  line += R"(,"idempotency_key":)";
  append_quoted(line, task.key);
  line += R"(,"attempt":)";
  line += std::to_string(task.attempt);
  if (task.timeout.count() > 0) {
    line += R"(,"timeout_ms":)";
    line += std::to_string(task.timeout.count());
  }
  if (!task.context.empty()) {
    line += R"(,"context":)";
    line += task.context;
  }
  if (const auto parent = traceparent_of(task); !parent.empty()) {
    line += R"(,"traceparent":)";
    append_quoted(line, parent);
  }
  if (const auto state = tracestate_of(task); !state.empty()) {
    line += R"(,"tracestate":)";
    append_quoted(line, state);
  }
  if (!task.resume_from.empty()) {
    line += R"(,"resume_from":)";
    line += task.resume_from;
  }
  if (work != nullptr) {
    line += R"(,"work_dir":)";
    append_quoted(line, work->path());
  }
  line += "}}\n";
  return line;
}

/// Of a call that nobody waits for any more: comes right before the signal that ends the child.
std::string cancel_line(std::uint64_t id, Heard why) {
  return fmt::format(
      "{}\n",
      Json{{"jsonrpc", "2.0"}, {"method", "cancel"}, {"params", {{"id", id}, {"reason", why == Heard::stopped ? "cancelled" : "timeout"}}}}.dump());
}

/// Children that are alike can stand for each other, whichever of its tools a program is called for.
struct ChildKind {
  std::string program;
  std::vector<std::string> arguments;
  Environment environment;
  std::string directory;        // where it starts; empty: where catena runs
  bool work_directory = false;  // in a folder of its own
  Masks masks;                  // of the secrets in its environment
  friend bool operator==(const ChildKind&, const ChildKind&) = default;
};

class Children {
 public:
  using Child = std::unique_ptr<ServeChild>;

  explicit Children(Millis grace) : grace_{grace} {}
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    std::vector<Child> left;
    for (auto& idle : idle_) left.push_back(std::move(idle.child));
    ServeChild::end_all(std::move(left), grace_);
  }

  /// The one of that endpoint that worked last; null: none waits.
  [[nodiscard]] Child take(const ChildKind& kind) {
    const std::scoped_lock lock{mutex_};
    const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Idle& idle) { return idle.kind == kind; });
    if (found == idle_.rend()) return nullptr;
    auto child = std::move(found->child);
    idle_.erase(std::next(found).base());
    return child;
  }

  void give_back(const ChildKind& kind, Child child) {
    std::vector<Child> surplus;
    {
      const std::scoped_lock lock{mutex_};
      idle_.push_back({kind, std::move(child)});
      if (idle_.size() > kServeIdleMax) {
        surplus.push_back(std::move(idle_.front().child));
        idle_.pop_front();
      }
    }
    ServeChild::end_all(std::move(surplus), grace_);
  }

 private:
  struct Idle {
    ChildKind kind;
    Child child;
  };
  Millis grace_;
  std::mutex mutex_;
  std::list<Idle> idle_;  // the longest without work first
};

class ServeExecutor final : public Executor {
 public:
  explicit ServeExecutor(const ExecutorOptions& options)
      : options_{options}, grace_{std::clamp(options.term_grace, Millis{0}, kTermGraceMax)}, inherited_{options}, children_{grace_} {}

  [[nodiscard]] std::string_view kind() const override { return "serve"; }

  [[nodiscard]] Outcome run(const Task& task, const StopToken& stop) override {
    if (stop.stop_requested()) return {.response = fail(Code::cancelled, describe(task) + " was cancelled before it began"), .stderr_tail = {}};
    auto tool = variables_of(task, inherited_, options_.secrets.get());
    if (!tool) return {.response = fail(std::move(tool).error()), .stderr_tail = {}};
    const ChildKind kind{task.endpoint.target,        lang::command_arguments(task.endpoint), std::move(tool->environment),
                         task.surroundings.directory, task.surroundings.work_directory,       tool->masks};
    AttemptLog log{options_.logs.get(), task, tool->masks};
    AttemptVoice voice{options_.notify, task, kind.masks, log, std::chrono::steady_clock::now()};
    auto outcome = voice.end(tool->masks.clean(run_on(kind, task, stop, log, voice)));
    log.end(!outcome.response.has_value());
    return outcome;
  }

 private:
  [[nodiscard]] Outcome run_on(const ChildKind& kind, const Task& task, const StopToken& stop, AttemptLog& log, AttemptVoice& voice) {
    if (!WorkDir::has_files(task)) return call(kind, task, nullptr, stop, log, voice);
    const auto work = WorkDir::make(task, options_.files, options_.user.get());
    if (!work) return {.response = fail(work.error()), .stderr_tail = {}};
    auto outcome = call(kind, task, &*work, stop, log, voice);
    if (outcome.response) outcome.response = work->collect(*outcome.response);
    return outcome;
  }

  [[nodiscard]] Outcome call(const ChildKind& kind, const Task& task, const WorkDir* work, const StopToken& stop, AttemptLog& log,
                             AttemptVoice& voice) {
    auto child = take_or_start(kind, task);
    if (!child) return {.response = fail(std::move(child).error()), .stderr_tail = {}};
    if (auto refused = refuses(task, **child, stop, log)) return std::move(*refused);
    const auto id = next_id_.fetch_add(1, std::memory_order_relaxed);
    const auto heard =
        (*child)->ask(request_line(task, work, id), {.line_bytes_max = options_.output_bytes_max + kEnvelopeBytes, .timeout = task.timeout}, stop,
                      log.keeps() ? &log : nullptr, &voice);
    if (heard == Heard::garbled) return garbled(voice, **child);
    if (heard == Heard::stopped || heard == Heard::timed_out || heard == Heard::silent) (*child)->tell(cancel_line(id, heard));
    if (heard != Heard::answered) return gone(task, heard, **child);
    return answered(kind, task, id, std::move(*child), log);
  }

  /// A child that serves several tools is asked once what they are. Nothing: it has the one that is to be called as the chain has pinned it, or
  /// cannot tell.
  [[nodiscard]] std::optional<Outcome> refuses(const Task& task, ServeChild& child, const StopToken& stop, AttemptLog& log) {
    if (lang::served_tool(task.endpoint).empty()) return std::nullopt;
    if (!child.said()) {
      const auto timeout = task.timeout.count() > 0 ? std::min(task.timeout, kDescribeTimeout) : kDescribeTimeout;
      const auto heard =
          child.ask(kDescribeQuestion, {.line_bytes_max = kDescriptionBytesMax, .timeout = timeout}, stop, log.keeps() ? &log : nullptr);
      if (heard == Heard::timed_out)
        return not_yet_called(task, fmt::format("its program did not describe itself within {}", to_string(timeout)), child);
      if (heard == Heard::line_too_large)
        return not_called(task, Code::tool_output_too_large,
                          fmt::format("its program described itself with more than {} bytes", kDescriptionBytesMax), child);
      if (heard == Heard::died) return not_yet_called(task, "its program ended before it had described itself", child);
      if (heard != Heard::answered) return gone(task, heard, child);
      auto said = read_description(child.answer());
      if (!said) return garbage(task, "when it was asked to describe its tools is no answer: " + said.error().message, child, log);
      child.said() = std::move(*said);
    }
    const auto why = disagreement(*child.said(), task.endpoint);
    return why.empty() ? std::nullopt : std::optional{not_called(task, Code::tool_not_started, why, child)};
  }

  /// A further attempt may call it, also of a tool that may be called once: this one certainly has not.
  [[nodiscard]] Outcome not_yet_called(const Task& task, std::string_view why, ServeChild& child) const {
    auto outcome = not_called(task, Code::tool_not_started, why, child);
    outcome.response.error().retryable = true;
    return outcome;
  }

  [[nodiscard]] Outcome not_called(const Task& task, Code code, std::string_view why, ServeChild& child) const {
    static_cast<void>(child.end(grace_));
    auto stderr_tail = to_utf8(child.take_stderr());
    auto error = process_error(code, fmt::format("{} was not called: {}", describe(task), why), Json::object(), stderr_tail);
    return {.response = fail(std::move(error)), .stderr_tail = std::move(stderr_tail)};
  }

  [[nodiscard]] Result<Children::Child> take_or_start(const ChildKind& kind, const Task& task) {
    // one that died or spoke while it had no work is left to its destructor
    while (auto child = children_.take(kind)) {
      if (child->is_ready()) return child;
    }
    auto folder = folder_of(kind, task);
    if (!folder) return fail(std::move(folder).error());
    const auto directory = *folder ? (*folder)->path() : kind.directory;
    const auto program = directory.empty() ? kind.program : std::filesystem::absolute(kind.program).string();
    auto environment = kind.environment;
    auto process = ChildProcess::start({.program = program,
                                        .args = kind.arguments,
                                        .environment = environment.pointers(),
                                        .input = {},
                                        .then = Input::stays_open,
                                        .directory = directory.empty() ? nullptr : directory.c_str(),
                                        .keeper = options_.keeper,
                                        .user = options_.user.get()});
    if (!process) {
      process.error().message = describe(task) + ": " + process.error().message;
      return fail(std::move(process).error());
    }
    return std::make_unique<ServeChild>(std::move(*process), options_.stderr_bytes_kept, std::move(*folder), kind.masks);
  }

  /// The child's own, for all its life.
  [[nodiscard]] Result<std::optional<WorkFolder>> folder_of(const ChildKind& kind, const Task& task) const {
    if (!kind.work_directory) return std::nullopt;
    auto folder = WorkFolder::make(describe(task), options_.user.get());
    if (!folder) return fail(std::move(folder).error());
    if (auto handed = folder->hand_over(describe(task)); !handed) return fail(std::move(handed).error());
    return std::optional{std::move(*folder)};
  }

  [[nodiscard]] Outcome answered(const ChildKind& kind, const Task& task, std::uint64_t id, Children::Child child, AttemptLog& log) {
    auto text = lang::parse_json_text(child->answer());
    if (!text) return garbage(task, "is not JSON: " + text.error().message, *child, log);
    if (lang::JsonView{*text}.kind() != lang::JsonKind::object) return garbage(task, "is no message: not an object", *child, log);
    const auto message = read_message(*text);
    if (!message.id || message.id->text() != std::to_string(id))
      return garbage(task, fmt::format("does not answer the call with the id {}", id), *child, log);
    if (!message.result && !message.error) return garbage(task, "has neither a result nor an error", *child, log);
    Outcome outcome{.response = message.error ? failure(task, *message.error, *child) : result(task, *message.result),
                    .stderr_tail = to_utf8(child->take_stderr())};
    children_.give_back(kind, std::move(child));
    return outcome;
  }

  [[nodiscard]] Result<lang::JsonText> result(const Task& task, lang::JsonView value) const {
    if (value.is_null()) return lang::JsonText{"{}"};
    if (value.kind() != lang::JsonKind::object) {
      return fail(Code::tool_output_invalid, fmt::format("the result of {} is a JSON {} and not an object; it begins with: {}", describe(task),
                                                         lang::name(value.kind()), to_utf8(value.text().substr(0, kAnswerBytesShown))));
    }
    if (value.text().size() > options_.output_bytes_max) return fail(too_large(task));
    return lang::JsonText{std::string{value.text()}};
  }

  /// What the tool itself says that went wrong.
  static tl::unexpected<Error> failure(const Task& task, lang::JsonView error, ServeChild& child) {
    const auto json = error.parse();
    const auto member = [&](const char* name) { return json.is_object() && json.contains(name) ? json[name] : Json(); };
    const auto message = member("message");
    const auto data = member("data");
    Json details = Json::object();
    if (const auto code = member("code"); !code.is_null()) details["rpc_code"] = code;
    if (!data.is_null() && data.dump().size() <= kDataBytesMax) details["data"] = data;
    // what the engine looks for
    if (data.is_object() && data.contains("retry_after_ms") && data["retry_after_ms"].is_number_integer())
      details["retry_after_ms"] = data["retry_after_ms"];
    // A tool that cannot say whether it happened is one that was cut off: what the step's effect says decides.
    const bool in_doubt = data.is_object() && data.contains("in_doubt") && data["in_doubt"] == true;
    auto made = process_error(in_doubt ? Code::in_doubt : Code::tool_failed,
                              fmt::format("{} failed: {}", describe(task), message.is_string() ? message.get<std::string>() : "it gave no message"),
                              std::move(details), to_utf8(child.take_stderr()));
    made.retryable = in_doubt;
    if (data.is_object() && data.contains("retryable") && data["retryable"].is_boolean()) made.retryable = data["retryable"].get<bool>();
    return fail(std::move(made));
  }

  /// It does not speak the protocol: what it would answer next, to whom, nobody knows.
  [[nodiscard]] Outcome garbage(const Task& task, std::string_view what, ServeChild& child, AttemptLog& log) const {
    std::string line{child.answer()};
    log.set_output(line);
    child.masks().clean(line);
    auto message = fmt::format("what {} wrote to stdout {}; the line begins with: {}", describe(task), what,
                               to_utf8(std::string_view{line}.substr(0, kAnswerBytesShown)));
    static_cast<void>(child.end(grace_));
    auto stderr_tail = to_utf8(child.take_stderr());
    return {.response = fail(process_error(Code::tool_output_invalid, std::move(message), Json::object(), stderr_tail)), .stderr_tail = stderr_tail};
  }

  [[nodiscard]] Outcome garbled(const AttemptVoice& voice, ServeChild& child) const {
    static_cast<void>(child.end(grace_));
    return {.response = fail(voice.garbage()), .stderr_tail = to_utf8(child.take_stderr())};
  }

  [[nodiscard]] Outcome gone(const Task& task, Heard heard, ServeChild& child) const {
    const auto status = child.end(grace_);
    auto stderr_tail = to_utf8(child.take_stderr());
    auto error = why_gone(task, heard, status, stderr_tail);
    return {.response = fail(std::move(error)), .stderr_tail = std::move(stderr_tail)};
  }

  [[nodiscard]] Error why_gone(const Task& task, Heard heard, ExitStatus status, std::string_view stderr_tail) const {
    switch (heard) {
      case Heard::timed_out:
        return process_error(Code::tool_timeout, fmt::format("{} was ended after its timeout of {}", describe(task), to_string(task.timeout)),
                             Json::object(), stderr_tail);
      case Heard::stopped: return process_error(Code::cancelled, describe(task) + " was cancelled while it ran", Json::object(), stderr_tail);
      case Heard::line_too_large: return too_large(task);
      case Heard::silent: return process_error(Code::tool_timeout, silent_error(task).message, Json::object(), stderr_tail);
      case Heard::garbled:
      case Heard::died:
      case Heard::answered: break;
    }
    if (status.signal != 0) {
      const auto name = signal_name(status.signal);
      return process_error(Code::tool_killed, fmt::format("{} was ended by signal {} before it answered", describe(task), name),
                           Json{{"signal", name}}, stderr_tail);
    }
    return process_error(Code::tool_killed, fmt::format("{} ended with exit code {} before it answered", describe(task), status.code),
                         Json{{"exit_code", status.code}}, stderr_tail);
  }

  [[nodiscard]] Error too_large(const Task& task) const {
    return make_error(Code::tool_output_too_large, fmt::format("{} answered with more than {} bytes; return a path instead of the content",
                                                               describe(task), options_.output_bytes_max));
  }

  ExecutorOptions options_;
  Millis grace_;
  Environment inherited_;
  Children children_;
  std::atomic<std::uint64_t> next_id_{1};
};

}  // namespace

std::unique_ptr<Executor> make_serve_executor(const ExecutorOptions& options) { return std::make_unique<ServeExecutor>(options); }

}  // namespace catena::worker
