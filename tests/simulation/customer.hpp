#pragma once
// A client over the simulated network, as the coordinator's sessions see one: it greets, submits its chains, awaits them, and asks this and
// that besides; it loses its line, or its life, and asks again under the same ids. Every answer has to be one to what was asked.
#include <caf/all.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/channel.hpp"
#include "coordinator/client_calls.hpp"
#include "tests/simulation/chains.hpp"
#include "tests/simulation/dice.hpp"
#include "worker/uplink.hpp"

namespace catena::simulation {

struct CustomerCounts {
  std::uint64_t calls = 0, answers = 0, failures = 0, lines = 0, given_up = 0, cancels = 0, ends = 0, short_of_memory = 0;
};

struct CustomerSpec {
  struct Wish {
    ChainId chain;
    const Sample* sample = nullptr;
    storage::Durability durability = storage::Durability::sync;
    bool cancels = false;  // it may have second thoughts
  };
  std::uint64_t seed = 0;
  std::vector<Wish> wishes;                          // chains of its own
  std::vector<ChainId> others;                       // of others: it looks at them, and pauses them
  std::function<void(const caf::actor& self)> dial;  // answers with worker::Called
  std::function<void(const actors::ChainEnded& ended)> on_end;
  std::function<void(const ChainId& chain)> on_cancel;
  std::function<void(std::string words)> broken;
  CustomerCounts* counts = nullptr;
};

/// What is wrong with an answer to that; empty: nothing.
[[nodiscard]] std::string wrong_answer(const coordinator::ClientAsk& ask, const Result<coordinator::ClientTold>& told);

class Customer;
struct CustomerState {
  std::shared_ptr<Customer> customer;
  static inline const char* name = "customer";
};
caf::behavior customer(caf::stateful_actor<CustomerState>* self, CustomerSpec spec);

}  // namespace catena::simulation
