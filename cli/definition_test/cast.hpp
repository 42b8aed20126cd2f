#pragma once
// Who plays the tools of a definition test: its stubs; and for themselves the builtins that need nothing but their arguments, the file store
// and the time of the test.
#include <memory>
#include <string>
#include <vector>

#include "cli/definition_test/stage.hpp"
#include "cli/definition_test/test_file.hpp"
#include "worker/executor.hpp"

namespace catena::cli {

/// Builtins that run in a test where no stub stands in for them, sorted.
[[nodiscard]] const std::vector<std::string>& builtins_that_play_themselves();

class Cast {
 public:
  /// Both must outlive it.
  Cast(const DefinitionTest& test, Stage& stage);

  [[nodiscard]] Played play(const actors::WorkOrder& order, const actors::Attempted& attempt);
  /// Why the test is none: tools that nobody plays, answers that ran out. Each once.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  [[nodiscard]] const StubAnswer* answer_for(const actors::WorkOrder& order, const std::string& step, const Json& arguments);
  [[nodiscard]] Played run_builtin(const actors::WorkOrder& order, const actors::Attempted& attempt);
  [[nodiscard]] Played nobody(const actors::WorkOrder& order, const std::string& step);

  const DefinitionTest& test_;
  std::vector<std::size_t> used_;  // answers, by stub
  const Clock& clock_;
  std::unique_ptr<Clock> later_;  // for waits: they are over by then
  std::unique_ptr<worker::Executor> builtins_;
  std::unique_ptr<worker::Executor> waits_;
  std::vector<std::string> problems_;
};

}  // namespace catena::cli
