#pragma once
// What goes wrong in a run, drawn by seed.
#include <string>

#include "tests/simulation/world.hpp"

namespace catena::simulation {

class Misfortune {
 public:
  Misfortune(World& world, std::uint64_t seed) : world_{world}, dice_{seed} {}

  void strike() {
    const auto which = dice_.below(static_cast<std::uint32_t>(world_.workers.size()));
    const auto process = world_.workers[which].process;
    const auto how = dice_.one_in(2) ? Cut::told : Cut::silent;
    switch (dice_.below(18)) {
      case 0:
      case 1: return cut(process, how);
      case 2: return part(process);
      case 3: return storm();
      case 4:
      case 5: {
        world_.kill_worker(which, how);
        return later([this, which] { world_.start_worker(which); });
      }
      case 6: return stand_still(process, world_.workers[which].name);
      case 7:
      case 8: {
        world_.kill_coordinator(how);
        return later([this, late = late()] { world_.start_coordinator(late); });
      }
      case 9: return stand_still(kCoordinator, "the coordinator");
      case 10: {
        world_.drain_worker(which);
        return later([this, which] { world_.start_worker(which); });
      }
      case 11: {
        world_.stop_coordinator();
        return later([this, late = late()] { world_.start_coordinator(late); });
      }
      case 12: return kill_chain();
      case 13: return storm();
      case 14: return pause();
      case 15: return world_.control_node(which, dice_.one_in(2) ? actors::NodeVerb::drain : actors::NodeVerb::cordon, a_while());
      case 16: {  // a new process before anybody has missed the one before
        world_.kill_worker(which, how);
        return world_.start_worker(which);
      }
      default: {
        if (process == 0) return;
        stand_still(process, world_.workers[which].name);
        world_.orphan_worker(which);
        return later([this, which] { world_.start_worker(which); });
      }
    }
  }

 private:
  /// Mostly within a lease, now and then well beyond everybody's patience.
  [[nodiscard]] Millis a_while() {
    constexpr std::int64_t kShort = kLeaseMs / 2, kLong = 3 * kLeaseMs, kVeryLong = 8 * kLeaseMs;
    const auto most = dice_.one_in(2) ? kShort : dice_.one_in(4) ? kVeryLong : kLong;
    return Millis{dice_.between(0, most)};
  }
  [[nodiscard]] Millis late() { return dice_.one_in(5) ? a_while() : Millis{0}; }
  template <class Action>
  void later(Action action) {
    world_.schedule.after(a_while(), std::move(action));
  }
  void cut(Process process, Cut how) {
    if (process == 0) return;
    world_.say("the connection of process " + std::to_string(process) + (how == Cut::told ? " is cut" : " is half open"));
    world_.network.cut(process, how);
  }
  void part(Process process) {
    if (process == 0) return;
    world_.say("process " + std::to_string(process) + " is cut off");
    world_.network.part(process);
    later([this, process] {
      world_.say("process " + std::to_string(process) + " is reached again");
      world_.network.join(process);
    });
  }
  void storm() {
    world_.say("foul weather");
    const auto some = [this] { return dice_.one_in(2) ? 4 + dice_.below(60) : 0; };
    world_.network.weather = {some(), some(), some(), dice_.between(0, dice_.one_in(4) ? kLeaseMs : 30)};
    later([this] {
      world_.say("fair weather");
      world_.network.weather = {0, 0, 0, world_.network.weather.delay_most_ms / 4};
    });
  }
  void stand_still(Process process, const std::string& who) {
    if (process == 0 && who != "the coordinator") return;
    if (process == kCoordinator && !world_.coordinator_runs()) return;
    world_.say(who + " stands still");
    world_.schedule.freeze(process);
    later([this, process, who] {
      world_.say(who + " goes on");
      world_.schedule.thaw(process);
    });
  }
  void pause() {
    if (!world_.coordinator_runs()) return;
    const auto& chain = world_.chains[dice_.below(static_cast<std::uint32_t>(world_.chains.size()))];
    if (chain.ended) return;
    world_.say("chain " + chain.id.value + " is paused");
    world_.control_chain(chain.id, engine::Pause{});
    later([this, id = chain.id] { world_.control_chain(id, engine::Unpause{}); });
  }
  void kill_chain() {
    if (!world_.coordinator_runs()) return;
    std::vector<caf::actor> coordinators;
    for (const auto& [chain, running] : World::state_of<coordinator::SupervisorState>(world_.supervisor).running) {
      if (running.coordinator && running.rebuilt < 2) coordinators.push_back(running.coordinator);
    }
    if (coordinators.empty()) return;
    world_.say("the coordinator of a chain dies");
    caf::anon_send_exit(coordinators[dice_.below(static_cast<std::uint32_t>(coordinators.size()))], caf::exit_reason::kill);
  }

  World& world_;
  Dice dice_;
};

}  // namespace catena::simulation
