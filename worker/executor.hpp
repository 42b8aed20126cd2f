#pragma once
// What a worker is asked to do, what comes of it, and who does it: one executor an endpoint kind.
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/note_messages.hpp"
#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/trace_context.hpp"
#include "lang/document/json_text.hpp"
#include "lang/file/file_port.hpp"
#include "lang/program/program.hpp"
#include "worker/http_client.hpp"
#include "worker/stop.hpp"

namespace catena::worker {

/// What the process of a task finds besides its arguments.
struct Surroundings {
  struct Variable {
    std::string name;
    std::string value;    // of a secret its name
    bool secret = false;  // the worker knows the value
    friend bool operator==(const Variable&, const Variable&) = default;
  };
  std::vector<Variable> variables;
  std::string directory;        // where it starts; empty: where catena runs
  bool work_directory = false;  // it starts in a fresh one
  friend bool operator==(const Surroundings&, const Surroundings&) = default;
};

/// Which order attempts are of, and where they stand in a trace: the same for all of them.
struct TaskOrder {
  std::string chain;
  GrantId grant = 0;
  std::string step;
  std::uint32_t visit = 0;
  ChainTrace trace = {};  // without an id: none; an order of a coordinator of an earlier version has none
};

struct Task {
  std::string key;  // idempotency key: chain/step[/index], the same for every attempt
  lang::Endpoint endpoint;
  lang::JsonText arguments{"{}"};
  Millis timeout{0};  // of this attempt; 0: none
  Attempt attempt = 1;
  std::string name;                         // of the tool, for messages
  std::vector<std::string> file_arguments;  // names of those declared `file`: their values are paths in the file store
  std::vector<std::string> file_responses;
  std::string context;   // of the chain's submission, a JSON object in ASCII; empty: none
  UnixMillis since = 0;  // when the step began, over all its attempts, by the clock of this worker; 0: unknown
  Surroundings surroundings = {};
  std::shared_ptr<const TaskOrder> order = {};  // null: what it prints is not kept
  ItemIndex item = 0;
  bool may_block = true;         // false: what would have to wait says `postponed`
  std::string resume_from = {};  // JSON: the newest checkpoint of the attempts before; empty: there is none
  Millis heartbeat_timeout{0};   // it is ended when it says nothing for so long; 0: it need not say anything
};

struct Outcome {
  Result<lang::JsonText> response;
  std::string stderr_tail;            // of a process; valid UTF-8
  std::chrono::microseconds took{0};  // filled in by the slot
  std::string checkpoint = {};        // JSON: the newest of an attempt that did not succeed; empty: it said none
  std::map<std::string, std::int64_t> usage = {};
};

class Executor {
 public:
  virtual ~Executor() = default;
  /// The endpoint kind it runs: "builtin", "exec", "serve", "http", "https", "remote".
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Runs one attempt and blocks until it ends; called by several threads at a time.
  [[nodiscard]] virtual Outcome run(const Task& task, const StopToken& stop) = 0;
  /// The task takes less time than handing it to a thread would.
  [[nodiscard]] virtual bool at_once(const Task& task) const;
};

/// The model behind llm_text. The key itself is never a setting: a file or an environment variable holds it, and it is read anew for each call.
struct LlmOptions {
  std::string base_url;  // of a chat endpoint as OpenAI has it; `/chat/completions` is appended
  std::string model;
  std::string api_key_file;
  std::string api_key_env;
};

class Keeper;
class LogBuffer;
class Secrets;
struct ToolUser;

/// Takes what attempts say of themselves while they run, on the threads of slots.
using Notify = std::function<void(actors::AttemptNote note)>;

struct ExecutorOptions {
  std::size_t output_bytes_max = limits::kToolOutputBytesMax;
  std::size_t stderr_bytes_kept = limits::kToolStderrBytesKept;
  Millis term_grace{500};  // between SIGTERM and SIGKILL, at most kTermGraceMax
  HttpOptions http = {};
  std::map<std::string, lang::Endpoint> capabilities = {};  // that this worker announces, and what they run
  lang::FileStore* files = nullptr;                         // outlives the executors; null: tools that need files fail
  const Clock* clock = nullptr;                             // outlives the executors; null: one of their own
  LlmOptions llm{};
  Keeper* keeper = nullptr;                     // outlives the executors; null: tools outlive a catena that is killed
  std::shared_ptr<const ToolUser> user = {};    // that processes of tools run as; null: the user of catena
  std::vector<std::string> env_pass = {};       // variables of catena that tools get besides those that all get
  std::shared_ptr<const Secrets> secrets = {};  // null: there are none
  std::shared_ptr<LogBuffer> logs = {};         // for what processes of tools print; null: it is not kept
  Notify notify = {};                           // null: nobody hears of an attempt before it has ended
};
inline constexpr Millis kTermGraceMax{10'000};

using Executors = std::vector<std::unique_ptr<Executor>>;

/// Every executor there is.
[[nodiscard]] Executors make_executors(const ExecutorOptions& options = {});
/// The executor of a kind; null when there is none.
[[nodiscard]] Executor* find(const Executors& executors, std::string_view kind);

/// executor.run(), whatever it throws: the attempt fails as `internal` then, and the worker lives.
[[nodiscard]] Outcome run_attempt(Executor& executor, const Task& task, const StopToken& stop);

/// Where the attempt stands in a trace (W3C Trace Context); empty: in none.
[[nodiscard]] std::string traceparent_of(const Task& task);
[[nodiscard]] std::string_view tracestate_of(const Task& task);

/// "tool 'x'", or the endpoint when the tool has no name: begins a message.
[[nodiscard]] std::string describe(const Task& task);

}  // namespace catena::worker
