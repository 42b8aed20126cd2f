#pragma once
// Tools that chains run themselves, for tests: `builtin:add` answers its arguments, but for steps whose id begins with `r`, which fail at their first
// attempt, `t`, which always do, and `w`, which wait for an hour first.
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "coordinator/computing.hpp"

namespace catena::coordinator::test {

inline const std::string kSumTool = R"({"additional_arguments": true, "system_event_endpoint": "builtin:add"})";

class ScriptedSums final : public ComputingTools {
 public:
  struct Call {
    std::string key;
    Attempt attempt = 1;
    std::string arguments;
  };
  /// In place of the arguments; null: they are the answer.
  std::function<std::string(const Call& call)> answer = {};
  /// Which calls fail and may be made again; null: as the step's id says.
  std::function<bool(const Call& call)> fails = {};

  [[nodiscard]] bool has(const lang::Endpoint& endpoint) const override { return endpoint.kind == "builtin" && endpoint.target == "add"; }
  [[nodiscard]] Computed run(const Computation& computation) const override {
    calls_.push_back({computation.key, computation.attempt, computation.arguments.text});
    const auto how = computation.key.at(computation.key.find('/') + 1);
    const bool again = fails ? fails(calls_.back()) : how == 'r' && computation.attempt == 1;
    if (how == 't' || again) {
      auto error = make_error(Code::tool_temporary, "as the script says");
      error.retryable = again;
      return {fail(std::move(error)), 1};
    }
    if (how == 'w' && computation.attempt == 1) {
      auto error = make_error(Code::postponed, "waits for an hour");
      error.details = Json{{"retry_after_ms", 3'600'000}};
      error.retryable = true;
      return {fail(std::move(error)), 1};
    }
    return {lang::JsonText{answer ? answer(calls_.back()) : computation.arguments.text}, 1};
  }
  [[nodiscard]] const std::vector<Call>& calls() const { return calls_; }
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const auto& call : calls_) keys.push_back(call.key);
    return keys;
  }

 private:
  mutable std::vector<Call> calls_;
};

}  // namespace catena::coordinator::test
