#include "cli/definition_test/cast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/iso8601.hpp"
#include "cli/definition_test/difference.hpp"
#include "lang/program/endpoint.hpp"
#include "worker/executors/builtin.hpp"
#include "worker/order_task.hpp"

namespace catena::cli {
namespace {

/// What steps are called by whom: "outer/each@2/3" is also "outer/each/3", "outer/each" and "each".
bool is_step(const std::string& key, const std::string& wanted) {
  std::string path;
  bool visit = false;
  for (const char c : key) {
    if (c == '/') visit = false;
    if (c == '@') visit = true;
    if (!visit) path += c;
  }
  const auto is = [&](std::string_view name) { return name == wanted || name.substr(name.find_last_of('/') + 1) == wanted; };
  if (key == wanted || is(path)) return true;
  const auto last = path.find_last_of('/');
  const bool item = last != std::string::npos && path.find_first_not_of("0123456789", last + 1) == std::string::npos;
  return item && is(std::string_view{path}.substr(0, last));
}

/// As the worker would end it.
Played in_time(Played played, const actors::WorkOrder& order) {
  const Millis timeout{order.timeout_ms};
  if (timeout.count() <= 0 || played.after <= timeout) return played;
  return played_failure(make_error(Code::tool_timeout, fmt::format("tool '{}' was killed after its timeout of {}", order.tool, to_string(timeout))),
                        timeout);
}

/// A clock that is ahead of another by more than anything waits for.
class LaterClock final : public Clock {
 public:
  explicit LaterClock(const Clock& clock) : clock_{clock} {}
  [[nodiscard]] UnixMillis now() const override {
    constexpr Millis kAhead = std::chrono::hours{24 * 366 * 200};
    return clock_.now() + kAhead.count();
  }

 private:
  const Clock& clock_;
};

/// A wait that was asked when it was over says until when it was: so long it takes.
Millis waited(const lang::JsonText& response, UnixMillis now) {
  const auto until = lang::JsonView{response}.find("until");
  const auto end = until ? parse_iso8601(until->string()) : std::nullopt;
  return Millis{end && *end > now ? *end - now : 0};
}

/// In a test a step wakes when its wait is over, and not when the later clock was asked.
std::string awake_in_time(const lang::JsonText& response, UnixMillis now) {
  auto json = Json::parse(response.text);
  const auto end = parse_iso8601(json.at("until").get<std::string>());
  json["woke_at"] = iso8601(std::max(end.value_or(now), now));
  return json.dump();
}

}  // namespace

const std::vector<std::string>& builtins_that_play_themselves() {
  static const std::vector<std::string> kNames{"add",
                                               "combine_content",
                                               "concat",
                                               "delete_directory",
                                               "delete_file",
                                               "describe_file",
                                               "describe_file_version",
                                               "echo",
                                               "fail",
                                               "list_directory",
                                               "list_file_versions",
                                               "math",
                                               "merge",
                                               "put_file",
                                               "raise",
                                               "range",
                                               "render_template",
                                               "sha256",
                                               "sum",
                                               "top",
                                               "wait"};
  return kNames;
}

Cast::Cast(const DefinitionTest& test, Stage& stage)
    : test_{test}, used_(test.stubs.size()), clock_{stage.clock()}, later_{std::make_unique<LaterClock>(clock_)} {
  worker::ExecutorOptions options;
  options.files = &stage.files();
  options.clock = &clock_;
  builtins_ = worker::make_builtin_executor(options);
  options.clock = later_.get();
  waits_ = worker::make_builtin_executor(options);
}

Played Cast::play(const actors::WorkOrder& order, const actors::Attempted& attempt) {
  const auto step = attempt.key.substr(attempt.key.find('/') + 1);
  if (const auto* answer = answer_for(order, step, Json::parse(attempt.arguments))) {
    return in_time(answer->error ? played_failure(*answer->error, answer->after) : played_response(answer->response.dump(), answer->after), order);
  }
  const bool itself = order.kind == "builtin" && std::ranges::binary_search(builtins_that_play_themselves(), order.target);
  return itself ? run_builtin(order, attempt) : nobody(order, step);
}

const StubAnswer* Cast::answer_for(const actors::WorkOrder& order, const std::string& step, const Json& arguments) {
  for (std::size_t index = 0; index < test_.stubs.size(); ++index) {
    const auto& stub = test_.stubs[index];
    if (stub.tool != order.tool || (stub.step && !is_step(step, *stub.step))) continue;
    if (stub.arguments && !differences(*stub.arguments, arguments, "", Compare::contained, 1).empty()) continue;
    if (!stub.in_order) return &stub.answers.front();
    if (used_[index] < stub.answers.size()) return &stub.answers[used_[index]++];
  }
  return nullptr;
}

Played Cast::run_builtin(const actors::WorkOrder& order, const actors::Attempted& attempt) {
  auto task = worker::task_of(order, clock_.now());
  worker::set_attempt(task, attempt);
  const bool waits = order.target == "wait";
  const auto outcome = (waits ? waits_ : builtins_)->run(task, worker::StopToken{});
  if (!outcome.response) return played_failure(outcome.response.error());
  if (!waits) return in_time(played_response(outcome.response->text, Millis{0}), order);
  const auto now = clock_.now();
  return in_time(played_response(awake_in_time(*outcome.response, now), waited(*outcome.response, now)), order);
}

Played Cast::nobody(const actors::WorkOrder& order, const std::string& step) {
  const bool ran_out = std::ranges::any_of(test_.stubs, [&](const Stub& stub) { return stub.tool == order.tool; });
  const auto endpoint = lang::endpoint_text({order.kind, order.target, order.args});
  auto problem = ran_out ? fmt::format("step '{}' calls tool '{}', and no stub has an answer left that fits", step, order.tool)
                         : fmt::format("step '{}' calls tool '{}' ({}), which does not run in tests; give `stubs:` one with `tool: {}`", step,
                                       order.tool, endpoint, order.tool);
  auto failure = make_error(Code::tool_failed, problem);
  if (std::ranges::find(problems_, problem) == problems_.end()) problems_.push_back(std::move(problem));
  return played_failure(failure);
}

}  // namespace catena::cli
