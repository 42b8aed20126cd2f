#pragma once
// Members of the cluster who lie: the gate let them in, under names of their own, and then every field of what they say is made up. No
// chain needs what such a worker offers, so whatever it is granted is a defect; and nothing of what it or a client says may change what
// becomes of the chains of others.
#include <caf/all.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "tests/simulation/dice.hpp"
#include "worker/uplink.hpp"

namespace catena::simulation {

struct LiarCounts {
  std::uint64_t lies = 0, lines = 0, let_in = 0, ended = 0, turned_away = 0, claims = 0;
};

struct LiarSpec {
  std::string role;  // worker, client: as its certificate says
  std::string name;  // and who it is
  std::uint64_t seed = 0;
  std::vector<std::string> workers;                  // whose names it takes
  std::vector<ChainId> chains;                       // of which it speaks
  std::function<void(const caf::actor& self)> dial;  // answers with worker::Called
  std::function<void(std::string words)> broken;
  LiarCounts* counts = nullptr;
  bool prints = false;  // what no attempt printed
};

class Liar;
struct LiarState {
  std::shared_ptr<Liar> liar;
  static inline const char* name = "liar";
};
caf::behavior liar(caf::stateful_actor<LiarState>* self, LiarSpec spec);

}  // namespace catena::simulation
