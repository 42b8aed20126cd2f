#pragma once
// Why chains do not move, as clients ask for it and show it.
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "base/json.hpp"
#include "client/chains_port.hpp"
#include "client/questions.hpp"

namespace catena::client {

struct Explanation {
  ChainId chain;
  engine::ChainStatus status = engine::ChainStatus::pending;
  UnixMillis now = 0;
  std::vector<engine::Reason> reasons;  // in the order in which they are told; empty: nothing holds it up
};
/// What the records and those who run the chain know. `chains` null: nobody runs it.
[[nodiscard]] Result<Explanation> explain(Questions& questions, ChainsPort* chains, const coordinator::AskWaits& ask);
/// What of a queue stands in the index: chains that are paused or set aside.
[[nodiscard]] Result<std::vector<actors::QueueGroup>> queue_of_index(Questions& questions);

[[nodiscard]] Json to_json(const engine::Reason& reason, const ChainId& chain);
[[nodiscard]] Json reasons_json(const std::vector<engine::Reason>& reasons, const ChainId& chain, engine::ChainStatus status);
[[nodiscard]] Json to_json(const std::vector<actors::QueueGroup>& groups);

}  // namespace catena::client
