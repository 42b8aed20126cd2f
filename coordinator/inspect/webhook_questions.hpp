#pragma once
// What may be asked about deliveries of webhooks. A part of questions.hpp.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "storage/outbox_store.hpp"

namespace catena::coordinator {

struct WebhookPage {
  static constexpr std::string_view kKind = "webhook_page";
  std::vector<storage::Delivery> rows = {};
  std::string next = {};  // the last that was looked at: the page behind it begins there; empty: there are no more
};
/// In the order of what they tell.
struct ReadWebhooks {
  using Answer = WebhookPage;
  static constexpr std::string_view kKind = "read_webhooks";
  std::string after = {};  // an id; empty: from the first on
  std::uint32_t limit = 0;
  std::vector<storage::DeliveryState> states = {};  // empty: all
  std::string about = {};                           // only of the one with this id; empty: of all
  std::string id = {};                              // only this one; empty: all
};

template <class V>
void fields(V& v, WebhookPage& x) {
  v("rows", x.rows), v("next", x.next);
}
template <class V>
void fields(V& v, ReadWebhooks& x) {
  v("after", x.after), v("limit", x.limit), v("states", x.states), v("about", x.about), v("id", x.id);
}

}  // namespace catena::coordinator
