#pragma once
// Between the supervisor and chains that only wait: who may leave memory, and who comes back.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace catena::coordinator {
struct Resting;
struct LastTurns;
}  // namespace catena::coordinator

namespace catena::actors {

/// To a chain, now and then: does it only wait, and has nothing come to it since it was asked last? Answered with Idle, else not at all. Of the
/// supervisor to itself: ask all.
struct AskIdle {};
struct Idle {
  ChainId chain;
  std::size_t children = 0;                               // that it waits for
  UnixMillis due = 0;                                     // by the clock of the process, when it is to go on by itself; 0: never
  Millis lead{0};                                         // of the chain's time over that clock
  std::shared_ptr<const coordinator::Resting> rest = {};  // what it leaves in memory; null: nothing
};
/// To a chain that only waits: its coordinator ends, or answers StaysAwake, because something came after all.
struct FallAsleep {};
struct StaysAwake {
  ChainId chain;
};
/// Of the supervisor to itself: bring a chain that sleeps back; look which of them are due.
struct WakeChain {
  std::uint64_t key = 0;
};
struct AlarmDue {
  UnixMillis due = 0;
};
/// Of the supervisor: chains that are due, of which little is left. What can be decided in one turn each is, and answered with LastTurnsTaken.
struct TakeLastTurns {
  struct Chain {
    std::uint64_t key = 0;
    ChainId chain;
    std::shared_ptr<const coordinator::Resting> rest;
    Millis lead{0};
  };
  std::vector<Chain> chains;
};
/// Nothing of it is written yet: whoever asked does that.
struct LastTurnsTaken {
  std::shared_ptr<coordinator::LastTurns> turns;
};

}  // namespace catena::actors

#define CATENA_SLEEP_MESSAGES(X) X(AskIdle) X(Idle) X(FallAsleep) X(StaysAwake) X(WakeChain) X(AlarmDue) X(TakeLastTurns) X(LastTurnsTaken)
