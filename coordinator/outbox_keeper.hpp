#pragma once
// Delivers what the outbox has. The book decides what is tried when; senders, which may block, make the tries; what becomes of a delivery goes
// through the journal. An actor of its own, which no chain waits for.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/outbox_book.hpp"
#include "coordinator/services.hpp"

namespace catena::coordinator {

/// A request as it is sent.
struct WebhookRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};
struct WebhookAnswer {
  std::uint32_t status = 0;  // 0: there was no answer
  std::string error = {};    // why there was none
  std::optional<Millis> wait_for = {};
};
/// What blocks, and may be called by several threads. The coordinator knows neither the network nor where secrets are.
struct WebhookPorts {
  std::function<WebhookAnswer(const WebhookRequest& request)> post = {};
  std::function<Result<std::string>(const std::string& name)> secret = {};  // null: there are none
  std::function<void()> stop = {};                                          // ends what blocks, now and from now on; null: nothing does
};

struct OutboxOptions {
  std::shared_ptr<const Services> services;
  WebhookPorts ports;
  OutboxLimits limits = {};
};

class OutboxShell;
struct OutboxState {
  std::shared_ptr<OutboxShell> shell;
  static inline const char* name = "outbox";
};

/// Is sent OutboxGrew and ReplayDelivery.
caf::behavior outbox_keeper(caf::stateful_actor<OutboxState>* self, OutboxOptions options);

}  // namespace catena::coordinator
