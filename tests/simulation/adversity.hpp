#pragma once
// What else goes wrong, besides what misfortune.hpp draws: the store of a coordinator that lives, clocks, one direction of a line, memory,
// and the clients. It draws by dice of its own, so that the runs of misfortune alone stay what they are.
#include <array>

#include "tests/simulation/misfortune.hpp"

namespace catena::simulation {

class Adversity {
 public:
  Adversity(World& world, std::uint64_t seed) : world_{world}, misfortune_{world, seed}, dice_{seed + 1} {}

  void strike() {
    switch (dice_.below(16)) {
      case 0:
      case 1: return refuse_write();
      case 2: return refuse_read();
      case 3:
      case 4: return set_clock();
      case 5:
      case 6: return part_one_way();
      case 7: return run_short_of_memory();
      case 8:
      case 9: return lose_guest();
      default: return misfortune_.strike();
    }
  }

 private:
  [[nodiscard]] Millis a_while() { return Millis{dice_.between(0, dice_.one_in(4) ? 3 * kLeaseMs : kLeaseMs / 2)}; }

  void refuse_write() {
    const auto nth = 1 + dice_.below(dice_.one_in(2) ? 4 : 40);
    world_.fail_write(nth, dice_.one_in(2) ? storage::MemoryKv::Fault::landed : storage::MemoryKv::Fault::lost, a_while());
  }
  void refuse_read() {
    world_.say("the disk is to refuse a read");
    world_.kv.fail_read(1 + dice_.below(dice_.one_in(2) ? 4 : 100));
  }
  /// Minutes, hours or days, in either direction; now and then the coordinator ends beside it, and starts by the other time.
  void set_clock() {
    constexpr std::array<std::int64_t, 4> kSpans{2 * kLeaseMs, 60'000, 3'600'000, 3 * 24 * 3'600'000LL};
    const auto span = dice_.between(1, kSpans[dice_.below(kSpans.size())]);
    const Millis by{dice_.one_in(2) ? span : -span};
    if (!dice_.one_in(2)) return world_.set_clock(by);
    world_.kill_coordinator(Cut::told);
    world_.set_clock(by);
    world_.schedule.after(a_while(), [this] { world_.start_coordinator(); });
  }
  void part_one_way() {
    const auto way = dice_.one_in(2) ? Way::to_coordinator : Way::from_coordinator;
    const auto all = static_cast<std::uint32_t>(world_.workers.size() + world_.guests.size());
    const auto which = dice_.below(all);
    const auto process = which < world_.workers.size() ? world_.workers[which].process : world_.guests[which - world_.workers.size()].process;
    if (process == 0) return;
    world_.say("process " + std::to_string(process) + (way == Way::to_coordinator ? " is not heard" : " hears nothing"));
    world_.network.part(process, way);
    world_.schedule.after(a_while(), [this, process] {
      world_.say("process " + std::to_string(process) + " is heard and hears");
      world_.network.join(process);
    });
  }
  void run_short_of_memory() {
    world_.set_memory(true);
    world_.schedule.after(a_while() + a_while(), [this] { world_.set_memory(false); });
  }
  void lose_guest() {
    if (world_.guests.empty()) return;
    const auto which = dice_.below(static_cast<std::uint32_t>(world_.guests.size()));
    world_.kill_guest(which, dice_.one_in(2) ? Cut::told : Cut::silent);
    world_.schedule.after(a_while(), [this, which] { world_.start_guest(which); });
  }

  World& world_;
  Misfortune misfortune_;
  Dice dice_;
};

}  // namespace catena::simulation
