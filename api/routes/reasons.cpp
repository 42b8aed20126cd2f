// Why chains do not move.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr std::array kExplainFilters{
    Parameter{"step", Kind::text, "why this step does not move"},
    Parameter{"item", Kind::whole, "of that step, this item of a fan-out", 0, kLargest},
};
constexpr Documented kNoSuchPlace{404, "Problem", "no chain has that id, or it has no such step or item"};
constexpr std::array kExplained{Documented{200, "Explanation", "the reasons, in order; none: nothing holds it up"}, kNoSuchPlace, kBusy};
constexpr std::array kQueue{Documented{200, "Queue", "the reasons, each with the chains that wait for it"}, kBusy};

constexpr std::array kReasonRoutes{
    Route{Verb::get,
          "/v1/explain",
          "explainQueue",
          "Chains",
          Role::viewer,
          "what waits in the whole cluster, by reason",
          "`chains` counts those that wait for a reason, `orders` what they would send to workers now; `some` are submitted chains among them.",
          {},
          "",
          0,
          kQueue,
          Work{explain_all}},
    Route{
        Verb::get, "/v1/chains/{id}/explain", "explainChain", "Tasks", Role::viewer, "why it does not move",
        "The reasons why the chain, a step of it or an item does not move, in the order of their weight: from its records, and from those who run it "
        "and place its work. [Why nothing moves](control.md#why-does-it-not-move) lists the codes.",
        kExplainFilters, "", 0, kExplained, Work{explain_chain}},
};
static_assert(are_whole(kReasonRoutes));

}  // namespace

std::span<const Route> reason_routes() { return kReasonRoutes; }

}  // namespace catena::api
