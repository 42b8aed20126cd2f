#include "api/routes.hpp"

#include <array>
#include <vector>

#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr std::array kTables{server_routes, chains_routes,   tasks_routes,   control_routes, definitions_routes,
                             kept_routes,   schedule_routes, picture_routes, reason_routes,  page_routes};

std::vector<Route> all_routes() {
  std::vector<Route> all;
  for (const auto table : kTables) all.insert(all.end(), table().begin(), table().end());
  return all;
}

}  // namespace

std::span<const Route> routes() {
  static const auto all = all_routes();
  return all;
}
std::span<const Group> groups() { return kGroups; }

}  // namespace catena::api
