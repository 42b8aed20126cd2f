#pragma once
// Messages about webhooks. They never leave the process; messages.hpp includes them.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"
#include "storage/outbox_store.hpp"

namespace catena::actors {

/// Of a chain: these deliveries are in the outbox.
struct OutboxGrew {
  std::vector<std::string> ids;
};
/// Of somebody: deliver this one now, whatever became of it before. Answered with DeliveryReplayed once it is durable.
struct ReplayDelivery {
  std::string id;
  bool only_check = false;  // say whether it can be done, and do nothing
};
struct DeliveryReplayed {
  std::optional<Error> error;  // usage: there is none with this id; storage_io
};
/// Of the keeper of the outbox to itself: a delivery is due.
struct OutboxDue {
  UnixMillis at = 0;
};
/// To a sender, which answers with DeliveryTried.
struct TryDelivery {
  std::shared_ptr<const storage::Delivery> delivery;
  std::string body;
};
struct DeliveryTried {
  std::string id;
  std::uint32_t status = 0;             // 0: there was no answer
  std::string error = {};               // why there was none
  std::optional<Millis> wait_for = {};  // that the receiver asked for
};

}  // namespace catena::actors

#define CATENA_WEBHOOK_MESSAGES(X) X(OutboxGrew) X(ReplayDelivery) X(DeliveryReplayed) X(OutboxDue) X(TryDelivery) X(DeliveryTried)
