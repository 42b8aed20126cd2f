// Definitions.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr std::array kValidated{Documented{200, "Validation", "the definition is valid"},
                                Documented{422, "Problem", "all that is wrong with it, with pointers into the body"}};

constexpr std::array kDefinitionsRoutes{
    Route{Verb::post,
          "/v1/validate",
          "validate",
          "Definitions",
          Role::viewer,
          "check a definition and all that it can reach",
          "",
          {},
          "Definition",
          kDefinitionBytes,
          kValidated,
          Work{validate_definition}},
};
static_assert(are_whole(kDefinitionsRoutes));

}  // namespace

std::span<const Route> definitions_routes() { return kDefinitionsRoutes; }

}  // namespace catena::api
