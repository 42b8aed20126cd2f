// Deliveries of webhooks, a page at a time.
#include <algorithm>

#include "coordinator/inspect/inspector.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kDeliveryCost = 128;  // bytes beside its texts

}  // namespace

Result<WebhookPage> Inspector::answer(const ReadWebhooks& ask) {
  WebhookPage page;
  if (!ask.id.empty()) {
    const auto one = storage::load_delivery(kv_, ask.id);
    if (!one) return fail(one.error());
    if (*one) page.rows.push_back(**one);
    return page;
  }
  const std::size_t most = ask.limit == 0 ? kPageRowsMax : std::min(ask.limit, kPageRowsMax);
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  std::string last;
  const auto scanned = storage::scan_deliveries(kv_, ask.after, [&](const storage::Delivery& delivery) {
    if (page.rows.size() == most || bytes > kPageBytesMax || looked_at == kNoticesLookedAtMax) {
      page.next = last;
      return false;
    }
    ++looked_at;
    last = delivery.id;
    if (!ask.states.empty() && std::ranges::find(ask.states, delivery.state) == ask.states.end()) return true;
    if (!ask.about.empty() && delivery.chain.value != ask.about) return true;
    bytes += kDeliveryCost + delivery.url.size() + delivery.chain.value.size() + delivery.error.size();
    page.rows.push_back(delivery);
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return page;
}

}  // namespace catena::coordinator
