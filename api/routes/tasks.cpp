// What is in a chain, and its values.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr std::array<std::string_view, 2> kStreams{"stderr", "stdout"};
constexpr Parameter kFrom{"from", Kind::whole, "`next` of the page before", 0, kLargest};
constexpr std::array kPages{kFrom};
constexpr std::array kStepPages{kFrom, kOnlyFields, kEpoch};
constexpr std::array kClusterPlaces{Parameter{"step", Kind::whole, "`next.step` of the page before", 0, kLargest},
                                    Parameter{"from", Kind::whole, "`next.from` of it", 0, kLargest}};
constexpr std::array kItemFilters{
    kFrom,
    kLimit,
    kOnlyFields,
    Parameter{"status", Kind::choices, "only items of these statuses, separated by commas", 0, 0, coordinator::kItemStatusNames},
    Parameter{"values", Kind::flag, "`true`: with the value of each item, or the beginning of a large one"},
};
constexpr std::array kHistoryFilters{
    Parameter{"from", Kind::whole, "`next` of the page before: the number of an event", 1, kLargest},
    kLimit,
    kOnlyFields,
    Parameter{"step", Kind::text, "only events of this step"},
    Parameter{"item", Kind::whole, "of that step, only events of this item", 0, kLargest},
    Parameter{"since", Kind::moment, "only events since this time (ISO 8601), or in this time before now (`90s`)"},
};
constexpr std::array kChainEventFilters{
    kAfter,
    Parameter{"step", Kind::text, "only events of this step"},
    Parameter{"item", Kind::whole, "of that step, only events of this item", 0, kLargest},
};
constexpr std::array kResultFilters{
    Parameter{"from", Kind::whole, "the item to begin with (default 0): one behind the last that is known", 0, kLargest},
    Parameter{"status", Kind::choices, "only items of these statuses, separated by commas", 0, 0, coordinator::kItemStatusNames},
};
constexpr std::array kLogFilters{
    Parameter{"from", Kind::whole, "`next` of the page before: who follows asks again for it", 1, kLargest},
    Parameter{"step", Kind::text, "only what attempts of this step printed"},
    Parameter{"item", Kind::whole, "of that step, only attempts of this item", 0, kLargest},
    Parameter{"attempt", Kind::whole, "only this attempt of each task, from 1", 1, kLargest},
    Parameter{"stream", Kind::choices, "only this stream", 0, 0, kStreams},
    kOnlyFields,
};
constexpr Documented kNoStep{404, "Problem", "no chain has that id, or it has no such step or item"};
constexpr std::array kLines{kLinesType};
constexpr std::array kChainEvents{
    Documented{200, "", "events as they are written; `end` is the last, when the chain has ended", kLinesAndEvents, "Event"}, kNoStep, kNoStreamRoom};
constexpr std::array kResults{Documented{200, "", "what became of each item, in their order", kLines, "ItemResult"}, kNoStep, kNoStreamRoom};
constexpr std::array kSteps{Documented{200, "StepPage", "a page of steps, in the order of the definition"}, kNoChain};
constexpr std::array kItems{Documented{200, "ItemPage", "a page of items of the step's latest visit"}, kNoStep};
constexpr std::array kItemStates{Documented{200, "ItemStates", "the statuses of all items, as runs of neighbours"}, kNoStep};
constexpr std::array kClusters{Documented{200, "ClusterPage", "failed items in groups, the largest first"}, kNoStep};
constexpr std::array kChainClusters{Documented{200, "ChainClusterPage", "failures of all steps in groups, the largest first"}, kNoChain};
constexpr std::array kHistory{Documented{200, "HistoryPage", "a page of events"}, kNoStep};
constexpr std::array kLogs{Documented{200, "LogPage", "a page of what was printed"}, kNoStep};
constexpr std::array kValue{Documented{200, "Value", "the value, whole"},
                            Documented{404, "Problem", "no chain has that id, or it has no such value yet"}};

constexpr std::array kTasksRoutes{
    Route{Verb::get, "/v1/chains/{id}/steps", "listSteps", "Tasks", Role::viewer, "its steps", "", kStepPages, "", 0, kSteps, Work{list_steps}},
    Route{Verb::get, "/v1/chains/{id}/steps/{step}/items", "listItems", "Tasks", Role::viewer, "the items of a fan-out",
          "A step that is no fan-out has one.", kItemFilters, "", 0, kItems, Work{list_items}},
    Route{Verb::get, "/v1/chains/{id}/steps/{step}/items:states", "tellItemStates", "Tasks", Role::viewer, "the statuses of all items at once",
          "Each run is `[status, first item, number of items]`.", kPages, "", 0, kItemStates, Work{tell_item_states}},
    Route{Verb::get, "/v1/chains/{id}/steps/{step}/clusters", "groupFailures", "Tasks", Role::viewer, "its failed items, in groups that failed alike",
          "Items are in one group that failed with the same code and, numbers aside, the same message. `items` are runs `[first item, number of "
          "items]`, at most 500 in a group. A page has read 20,000 failed items; the same group has the same `kind` on each page.",
          kPages, "", 0, kClusters, Work{group_failures}},
    Route{Verb::get, "/v1/chains/{id}/clusters", "groupChainFailures", "Tasks", Role::viewer,
          "its failures of all steps, in groups that failed alike",
          "The groups of each step, as `/steps/{step}/clusters` has them; a step that is no fan-out and failed is a group of one, without items. A "
          "page ends behind 20,000 failures or 40 groups: `next` has the parameters of the next one.",
          kClusterPlaces, "", 0, kChainClusters, Work{group_chain_failures}},
    Route{Verb::get, "/v1/chains/{id}/history", "readHistory", "Tasks", Role::viewer, "what happened, event by event", "", kHistoryFilters, "", 0,
          kHistory, Work{read_history}},
    Route{Verb::get, "/v1/chains/{id}/events", "followChain", "Tasks", Role::viewer, "what happened, and what happens, as a stream",
          "The events of `/history` behind `after`, from the first on by default, and each that comes when it is written. The "
          "[stream](http.md#streams) "
          "is of "
          "lines, or of events where `Accept` names `text/event-stream`. It ends behind an event `end` when the chain has ended.",
          kChainEventFilters, "", 0, kChainEvents, Work{follow_chain}},
    Route{
        Verb::get, "/v1/chains/{id}/steps/{step}/results", "readResults", "Tasks", Role::viewer, "what became of each item of a fan-out, as a stream",
        "A line for each item of the step's latest visit, as it is when the [stream](http.md#streams) comes to it: wait for the step or the chain to "
        "end for all responses. A response of more than 64 KiB is a link, `response_at`.",
        kResultFilters, "", 0, kResults, Work{read_results}},
    Route{Verb::get, "/v1/chains/{id}/logs", "readLogs", "Tasks", Role::viewer, "what its attempts printed",
          "Each row is a part of one stream of one attempt. `next` begins what comes later, and `more` says whether there is more already.",
          kLogFilters, "", 0, kLogs, Work{read_logs}},
    Route{Verb::get,
          "/v1/chains/{id}/arguments",
          "readArguments",
          "Values",
          Role::viewer,
          "what it was started with",
          "",
          {},
          "",
          0,
          kValue,
          Work{read_arguments}},
    Route{Verb::get, "/v1/chains/{id}/context", "readContext", "Values", Role::viewer, "its context", "", {}, "", 0, kValue, Work{read_context}},
    Route{Verb::get,
          "/v1/chains/{id}/response",
          "readResponse",
          "Values",
          Role::viewer,
          "what it answered",
          "",
          {},
          "",
          0,
          kValue,
          Work{read_response}},
    Route{Verb::get,
          "/v1/chains/{id}/steps/{step}/response",
          "readStepResponse",
          "Values",
          Role::viewer,
          "what a step answered",
          "",
          {},
          "",
          0,
          kValue,
          Work{read_step_response}},
    Route{Verb::get,
          "/v1/chains/{id}/steps/{step}/items/{item}/response",
          "readItemResponse",
          "Values",
          Role::viewer,
          "what the tool answered for an item",
          "",
          {},
          "",
          0,
          kValue,
          Work{read_item_response}},
};
static_assert(are_whole(kTasksRoutes));

}  // namespace

std::span<const Route> tasks_routes() { return kTasksRoutes; }

}  // namespace catena::api
