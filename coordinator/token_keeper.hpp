#pragma once
// Makes and revokes access tokens, and tells whoever checks them which there are: a running coordinator needs no new start.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/services.hpp"

namespace catena::coordinator {

struct TokenKeeperState {
  std::shared_ptr<const Services> services;
  std::optional<storage::AccessTokens> tokens;  // none: they have not been read yet
  std::vector<caf::actor> watchers;
  std::map<actors::CommitNumber, std::function<void()>> written;  // what is said when it is durable
  actors::CommitNumber last_commit = 0;
  static inline const char* name = "token_keeper";
};

caf::behavior token_keeper(caf::stateful_actor<TokenKeeperState>* self, std::shared_ptr<const Services> services);

}  // namespace catena::coordinator
