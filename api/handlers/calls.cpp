// What the command line asks over HTTP: the calls of its own protocol.
#include <memory>
#include <utility>

#include "api/call_access.hpp"
#include "api/call_asker.hpp"
#include "api/handlers/handlers.hpp"
#include "coordinator/posted_calls.hpp"

namespace catena::api {

Worked post_calls(const Asked& asked, const Means& means) {
  const auto posted = coordinator::read_posted_calls(asked.lines);
  if (!posted) return refuse(posted.error());
  const auto labels_of = [&](const ChainId& chain) {
    return means.questions.ask(coordinator::DescribeChain{.chain = chain}).map([](const auto& known) { return known.labels; });
  };
  const auto allowed = [&](coordinator::ClientAsk ask) -> Result<coordinator::ClientAsk> {
    if (asked.grants.empty()) return allowed_call(std::move(ask), asked.role, asked.namespace_, labels_of);
    const auto grant = grant_for(needs_of(ask), asked.grants, "whoever asks");
    if (!grant) return fail(grant.error().error);
    return allowed_call(std::move(ask), highest(grant->role), grant->namespace_, labels_of);
  };
  auto order = std::make_shared<CallOrder>();
  order->wait = Millis{posted->wait_ms};
  for (const auto& body : posted->calls) {
    auto ask = coordinator::read_call(body);
    order->calls.push_back(ask ? allowed(std::move(*ask)) : std::move(ask));
  }
  return Errand{std::move(order)};
}

}  // namespace catena::api
