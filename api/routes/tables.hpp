#pragma once
// The parts of the table of routes, one a file.
#include <span>

#include "api/route.hpp"

namespace catena::api {

[[nodiscard]] std::span<const Route> server_routes();
[[nodiscard]] std::span<const Route> chains_routes();
[[nodiscard]] std::span<const Route> tasks_routes();
[[nodiscard]] std::span<const Route> control_routes();
[[nodiscard]] std::span<const Route> definitions_routes();
[[nodiscard]] std::span<const Route> kept_routes();
[[nodiscard]] std::span<const Route> schedule_routes();
[[nodiscard]] std::span<const Route> page_routes();
[[nodiscard]] std::span<const Route> picture_routes();
[[nodiscard]] std::span<const Route> reason_routes();

}  // namespace catena::api
