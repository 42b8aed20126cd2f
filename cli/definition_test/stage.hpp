#pragma once
// Where definitions are tried out: the real language, engine and coordinator over a store in memory, on one thread and in virtual time. Only
// the tools are played. The same play gives the same outcome, whatever machine it is given on, and waiting takes no time.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/services.hpp"
#include "engine/event.hpp"
#include "engine/state.hpp"
#include "lang/document/json_text.hpp"
#include "storage/kv.hpp"

namespace catena::cli {

/// What an attempt ends in, and how long it takes.
struct Played {
  bool ok = true;
  std::string text = "{}";  // the response, or the error, as JSON
  Millis after{0};
  bool held = false;  // it ends when it is stopped, not before
};
[[nodiscard]] Played played_response(std::string json, Millis after = Millis{0});
[[nodiscard]] Played played_failure(const Error& error, Millis after = Millis{0});

/// An attempt that was made.
struct Execution {
  std::string step;  // "fetch", "each/3" of a fan-out, "outer/inner" of a nested chain
  std::string tool;
  Attempt attempt = 1;
  std::string arguments;
  std::string context;  // empty: none
};

struct StageOptions {
  lang::Catalog catalog;
  ChainId chain{"test"};
  std::uint32_t slots = 1000;               // so that nothing but the definition says how much runs at a time
  const lang::FileReader* files = nullptr;  // what references read, in place of the stage's own file store
  std::size_t executions_max = 20'000;      // a chain that makes more is stopped
  std::function<bool()> stopped = {};       // asked now and then: whether it is to end at once; null: never
};

/// What somebody sends to the chain that runs, or to one below it.
struct StageSignal {
  std::string name;
  std::string data = "{}";
  std::string below = {};  // "outer/inner"; empty: the chain that was submitted
  Millis after{0};         // since it was submitted
};

/// What somebody answers when a step of the chain that runs, or of one below it, waits for approval.
struct StageAnswer {
  engine::Approval approval;  // its step by name: `step`
  std::string step;
  std::string below = {};  // "outer/inner"; empty: the chain that was submitted
  Millis after{0};         // since it was submitted: then, or as soon as the step waits after that
};

struct StageRequest {
  std::shared_ptr<const lang::Package> package;
  std::string arguments = "{}";
  std::string context = {};
  std::vector<StageSignal> signals = {};
  std::vector<StageAnswer> answers = {};
};

class Stage {
 public:
  /// Says what becomes of an attempt; it has been added to the executions already.
  using Player = std::function<Played(const actors::WorkOrder& order, const actors::Attempted& attempt)>;

  explicit Stage(const StageOptions& options);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Runs one chain to its end. Errors: what the submission was refused for; chain_state when it stands still, makes too many attempts or was
  /// stopped.
  [[nodiscard]] Result<actors::ChainEnded> run(const StageRequest& request, Player player);

  [[nodiscard]] const std::vector<Execution>& executions() const;
  /// Why signals and answers were not taken.
  [[nodiscard]] const std::vector<Error>& refused() const;
  [[nodiscard]] const Clock& clock() const;
  [[nodiscard]] lang::FileStore& files();
  /// Of the chain that ran.
  [[nodiscard]] Result<engine::ChainState> state() const;
  [[nodiscard]] Result<std::vector<engine::Event>> history() const;
  /// A value of the state as JSON text, wherever it is stored.
  [[nodiscard]] Result<lang::JsonText> value(const engine::Payload& payload) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena::cli
