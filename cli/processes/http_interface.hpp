#pragma once
// The HTTP interface of a coordinator, as configured.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "api/service.hpp"
#include "config/settings.hpp"
#include "coordinator/stored_definitions.hpp"
#include "link/gate.hpp"

namespace catena::cli {

/// What definitions that are stored may call: the core tools, those in the tool roots of the configuration, and stored ones. Null, where endpoints of
/// the configuration are wrong.
[[nodiscard]] std::function<coordinator::OpenDefinitionShelf(const storage::Kv& kv)> definition_shelf(const config::Settings& settings);

/// Definitions that a request names are the core tools, and those in the tool roots of the configuration. Errors: those of api::Service::open;
/// field_value, of endpoints.
[[nodiscard]] Result<std::unique_ptr<api::Service>> open_http(caf::actor_system& system, const config::Settings& settings,
                                                              std::shared_ptr<const coordinator::Services> services, const std::string& data_dir,
                                                              std::optional<api::Issuer> issuer, std::function<link::GateCounters()> connections);

}  // namespace catena::cli
