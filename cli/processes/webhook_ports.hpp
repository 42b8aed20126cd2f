#pragma once
// What the configuration says of webhooks, and how a coordinator reaches receivers and secrets.
#include <vector>

#include "base/result.hpp"
#include "config/settings.hpp"
#include "coordinator/outbox_keeper.hpp"
#include "coordinator/services.hpp"

namespace catena::cli {

/// Of webhooks.chains. Error: field_value.
[[nodiscard]] Result<std::vector<coordinator::StandingWebhook>> standing_webhooks(const config::Table& table);

/// Requests go to addresses of the public internet alone, unless webhooks.allow_private; redirects are not followed, and of an answer a few KiB are
/// read. Error: field_value, of a source of secrets.
[[nodiscard]] Result<coordinator::WebhookPorts> webhook_ports(const config::Settings& settings);

}  // namespace catena::cli
