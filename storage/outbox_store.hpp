#pragma once
// The outbox: deliveries of webhooks, each from the commit of what it tells until it has been kept for long enough. Ids begin with the time of what
// they tell, so they come in its order.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

enum class DeliveryState : std::uint8_t { pending, delivered, given_up };
[[nodiscard]] constexpr std::uint32_t count_of(DeliveryState) { return static_cast<std::uint32_t>(DeliveryState::given_up) + 1; }
inline constexpr std::array kDeliveryStateNames{std::string_view{"pending"}, std::string_view{"delivered"}, std::string_view{"given_up"}};
[[nodiscard]] constexpr std::string_view name(DeliveryState state) { return kDeliveryStateNames[static_cast<std::size_t>(state)]; }

struct Delivery {
  std::string id;  // the same on each try
  DeliveryState state = DeliveryState::pending;
  ChainId chain = {};
  std::string event = {};  // a word of kWebhookEvents
  std::string url = {};
  std::string secret = {};  // its name; empty: it is not signed
  UnixMillis at = 0;        // of what it tells
  UnixMillis since = 0;     // when its tries began: with what it tells, or with a replay
  std::uint32_t tries = 0;
  UnixMillis next_at = 0;    // of the next try; 0: none is to come
  std::uint32_t status = 0;  // what the last try was answered with; 0: there was no answer
  std::string error = {};    // why the last try did not do

  friend bool operator==(const Delivery&, const Delivery&) = default;
};
template <class V>
void fields(V& v, Delivery& x) {
  v("id", x.id), v("state", x.state), v("chain", x.chain), v("event", x.event), v("url", x.url), v("secret", x.secret), v("at", x.at),
      v("since", x.since), v("tries", x.tries), v("next_at", x.next_at), v("status", x.status), v("error", x.error);
}

void put_delivery(Batch& batch, const Delivery& delivery);
/// What is sent; written once, with the first record of the delivery.
void put_delivery_body(Batch& batch, std::string_view id, std::string_view body);
/// With its body.
void remove_delivery(Batch& batch, std::string_view id);

/// Nothing: there is none. Errors: storage_corrupt where the record is damaged, and those of the store.
[[nodiscard]] Result<std::optional<Delivery>> load_delivery(const Kv& kv, std::string_view id);
[[nodiscard]] Result<std::optional<std::string>> load_delivery_body(const Kv& kv, std::string_view id);

/// Those with ids behind `after`, in their order, until the visitor answers false. Errors: as load_delivery.
using DeliveryVisitor = std::function<bool(const Delivery& delivery)>;
[[nodiscard]] Result<void> scan_deliveries(const Kv& kv, std::string_view after, const DeliveryVisitor& visitor);

}  // namespace catena::storage
