#pragma once
// The HTTP interface of a coordinator, as configured.
#include <memory>
#include <string>

#include "api/service.hpp"
#include "config/settings.hpp"

namespace catena::cli {

/// Definitions that a request names are the core tools, and those in the tool roots of the configuration. Errors: those of api::Service::open;
/// field_value, of endpoints.
[[nodiscard]] Result<std::unique_ptr<api::Service>> open_http(caf::actor_system& system, const config::Settings& settings,
                                                              std::shared_ptr<const coordinator::Services> services, const std::string& data_dir);

}  // namespace catena::cli
