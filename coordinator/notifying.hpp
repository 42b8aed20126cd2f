#pragma once
// What webhooks are told of a chain. Pure: which notices are worth a delivery, to whom, and what it says.
#include <string>
#include <string_view>
#include <vector>

#include "base/webhooks.hpp"
#include "coordinator/services.hpp"
#include "engine/state.hpp"
#include "lang/program/program.hpp"
#include "storage/feed_store.hpp"
#include "storage/outbox_store.hpp"

namespace catena::coordinator {

/// The word of kWebhookEvents for it; empty: webhooks are not told of such a thing.
[[nodiscard]] std::string_view webhook_event_of(const storage::Notice& notice);

/// A chain, as the turn of the notice has left it, and who may want to hear of it.
struct Notified {
  const ChainId& chain;
  const std::vector<Webhook>& own;
  const std::vector<StandingWebhook>& standing;
  const engine::ChainState& state;
  const lang::Program& program;
};

struct NewDelivery {
  storage::Delivery record;
  std::string body;
};
/// None for child chains. The id is made of the chain, its event and the receiver: the same event of the same journal has the same id. The body is
/// bounded: a response that does not stand in the journal is left out, and so are steps behind the first 200 that were entered.
[[nodiscard]] std::vector<NewDelivery> deliveries_of(const storage::Notice& notice, const Notified& of);

}  // namespace catena::coordinator
