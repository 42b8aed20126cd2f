// Deliveries of webhooks.
#include <fmt/format.h>

#include <algorithm>

#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "client/records.hpp"

namespace catena::api {

Worked list_webhooks(const Asked& asked, const Means& means) {
  coordinator::ReadWebhooks ask;
  ask.after = asked.text("cursor");
  ask.limit = static_cast<std::uint32_t>(asked.whole("limit", kRowsByDefault));
  ask.about = asked.text("chain");
  const auto states = "," + asked.text("state") + ",";
  for (std::size_t state = 0; state < storage::kDeliveryStateNames.size(); ++state) {
    if (states.find(fmt::format(",{},", storage::kDeliveryStateNames[state])) != std::string::npos)
      ask.states.push_back(static_cast<storage::DeliveryState>(state));
  }
  const auto page = means.questions.ask(ask);
  if (!page) return refuse(page.error());
  Json json{{"deliveries", Json::array()}};
  for (const auto& row : page->rows) json["deliveries"].push_back(client::to_json(row));
  if (!page->next.empty()) json["cursor"] = page->next;
  return page_answer(asked, std::move(json));
}

Worked replay_webhook(const Asked& asked, const Means& means) {
  const auto& id = asked.path.at("delivery");
  const auto known = means.questions.ask(coordinator::ReadWebhooks{.id = id});
  if (!known) return refuse(known.error());
  if (known->rows.empty()) {
    Problem problem{make_error(Code::usage, fmt::format("there is no delivery '{}'; GET /v1/webhooks lists those that are kept", id))};
    problem.status = 404;
    return refuse(std::move(problem));
  }
  return Errand{actors::ReplayDelivery{.id = id}};
}

}  // namespace catena::api
