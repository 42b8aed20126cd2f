#pragma once
// All schedules of a scenario: depth first, each distinct world once.
#include <fmt/format.h>

#include <stdexcept>
#include <unordered_map>

#include "base/hash.hpp"
#include "tests/engine/simulator.hpp"

namespace catena::engine::test {

inline std::string describe(const Action& action) {
  constexpr std::array kKinds{"sync",         "perform",       "finish",         "deliver", "notice_loss", "crash", "restart",
                              "lose",         "deliver_twice", "cancel",         "pause",   "unpause",     "retry", "resolve",
                              "give_back",    "give",          "cancel_now",     "hold",    "let_go",      "amend", "signal",
                              "signal_twice", "approval",      "approval_twice", "repair"};
  constexpr std::array kEffects{"Evaluate", "Shape", "EvaluateOutputs", "Demand", "Run", "Stop", "Wake", "Announce", "HoldChildren", "UseSignal"};
  static_assert(kEffects.size() == std::variant_size_v<Effect>);
  std::string text = kKinds[action.kind];
  if (action.kind == Action::perform) text = text + " " + kEffects[action.effect.index()];
  return fmt::format("{} index={} grant={} choice={}", text, action.index, action.grant, action.choice);
}

class Explorer {
 public:
  struct Result {
    std::size_t worlds = 0;
    std::set<ChainStatus> ends;  // statuses a path came to rest in
    std::string broken;          // with the schedule that leads there
    bool complete = true;        // false: there are more worlds than the bound
  };

  explicit Explorer(std::size_t most) : most_{most} {}

  [[nodiscard]] Result explore(const Scenario& scenario) {
    World world{scenario};
    result_.broken = world.broken();
    if (result_.broken.empty()) visit(world);
    return result_;
  }

 private:
  void visit(const World& world) {
    const auto [place, fresh] = stage_.emplace(hash64(world.key()), Stage::open);
    if (!fresh) {
      if (place->second == Stage::open) blame("the world goes round in circles");
      return;
    }
    if (++result_.worlds > most_) result_.complete = false;
    const auto key = place->first;
    if (auto broken = check_codec(world.state()); !broken.empty()) return blame(broken);
    const auto actions = world.actions();
    if (std::ranges::none_of(actions, &Action::needed)) rest(world);
    for (const auto& action : actions) {
      if (!result_.broken.empty() || !result_.complete) return;
      path_.push_back(action);
      World next = world;
      next.act(action);
      if (next.broken().empty()) {
        visit(next);
      } else {
        blame(next.broken());
      }
      path_.pop_back();
    }
    stage_[key] = Stage::done;
  }

  void rest(const World& world) {
    if (!world.at_rest()) return blame("the chain is stuck");
    result_.ends.insert(world.state().status);
    const auto length = world.state().seq.value;
    if (auto broken = world.check_journal(length == 0 ? 0 : 1 + result_.worlds % length); !broken.empty()) blame(broken);
  }

  void blame(const std::string& broken) {
    if (!result_.broken.empty()) return;
    result_.broken = broken + "; schedule:";
    for (const auto& action : path_) result_.broken += "\n  " + describe(action);
  }

  enum class Stage : std::uint8_t { open, done };
  std::size_t most_;
  std::unordered_map<std::uint64_t, Stage> stage_;
  std::vector<Action> path_;
  Result result_;
};

}  // namespace catena::engine::test
