#include "api/routes.hpp"

#include <algorithm>
#include <array>

#include "api/handlers/handlers.hpp"
#include "api/preview.hpp"
#include "base/limits.hpp"

namespace catena::api {
namespace {

constexpr std::uint64_t kLargest = 4'294'967'295;
constexpr std::size_t kDefinitionBytes = limits::kDocumentBytesMax;
constexpr std::size_t kControlBytes = 1UL << 20U;

constexpr std::array<std::string_view, 2> kStreams{"stderr", "stdout"};

// ---- query parameters -------------------------------------------------------------------------------------------------

constexpr Parameter kWait{
    "wait", Kind::span,
    "how long the request may wait for the chain to end, at most 60s; a number alone counts seconds. `Prefer: wait=30` says the same"};
constexpr Parameter kLimit{"limit", Kind::whole, "rows of the page (default 100)", 1, 1000};
constexpr Parameter kCursor{"cursor", Kind::text, "`cursor` of the page before"};
constexpr Parameter kFrom{"from", Kind::whole, "`next` of the page before", 0, kLargest};
constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;
constexpr Parameter kAfter{"after", Kind::whole,
                           "the number of the last event that is known. The header `Last-Event-ID` says the same, and goes first", 0, kNumberMax};
constexpr Parameter kStatus{"status", Kind::choices, "only chains of these statuses, separated by commas", 0, 0, engine::kChainStatusNames};

constexpr Parameter kNamespace{"namespace", Kind::text, "only of chains of this [namespace](access-tokens.md#namespaces)"};
constexpr Parameter kCheckOnly{kValidateOnly, Kind::flag,
                               "`true`: nothing is done; the request is refused as it would be, or answered with what would happen"};
constexpr std::array kWaits{kWait};
constexpr std::array kWrites{kWait, kCheckOnly};
constexpr std::array kChecks{kCheckOnly};
constexpr std::array kRemovals{kCheckOnly, Parameter{"reason", Kind::text, "why, for the audit log"}};
constexpr std::array kChainFilters{
    kStatus,
    Parameter{"name", Kind::text, "only chains of definitions with this name, or that fit this pattern (`*` and `?`)"},
    Parameter{"since", Kind::moment, "only chains that started since this time (ISO 8601), or in this time before now (`2h`)"},
    Parameter{"all", Kind::flag, "`true`: child chains, too"},
    Parameter{"label", Kind::text, "only chains that have this label: `key=value`, or a pattern of the value; several with commas"},
    kNamespace,
    kLimit,
    kCursor,
};
constexpr std::array kChildFilters{
    kStatus,
    Parameter{"all", Kind::flag, "`true`: all descendants, and not only the children"},
    kLimit,
    kCursor,
};
constexpr std::array kPages{kFrom};
constexpr std::array kClusterPlaces{Parameter{"step", Kind::whole, "`next.step` of the page before", 0, kLargest},
                                    Parameter{"from", Kind::whole, "`next.from` of it", 0, kLargest}};
constexpr std::array kItemFilters{
    kFrom,
    kLimit,
    Parameter{"status", Kind::choices, "only items of these statuses, separated by commas", 0, 0, coordinator::kItemStatusNames},
    Parameter{"values", Kind::flag, "`true`: with the value of each item, or the beginning of a large one"},
};
constexpr std::array kHistoryFilters{
    Parameter{"from", Kind::whole, "`next` of the page before: the number of an event", 1, kLargest},
    kLimit,
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
constexpr std::array kFeedFilters{
    Parameter{"from", Kind::whole, "`next` of the page before: who follows asks again for it", 1, kNumberMax},
    kAfter,
    Parameter{"from_now", Kind::flag, "`true`: no events, only where those begin that come from now on; a stream begins there"},
    kLimit,
    Parameter{"chain", Kind::text, "only of this chain and its descendants"},
    Parameter{"kind", Kind::choices, "only these kinds, separated by commas", 0, 0, storage::kNoticeKindNames},
    Parameter{"name", Kind::text, "only of chains of definitions with this name, or that fit this pattern (`*` and `?`)"},
    Parameter{"all", Kind::flag, "`true`: of child chains, too"},
    kNamespace,
};
constexpr std::array kAuditFilters{
    Parameter{"from", Kind::whole, "`next` of the page before", 1, std::uint64_t{1} << 62U},
    kLimit,
    Parameter{"since", Kind::moment, "only entries since this time (ISO 8601), or in this time before now (`90s`)"},
    Parameter{"act", Kind::text, "only of this: `cancel`, `retry`, `drain`, ..."},
    Parameter{"subject", Kind::text, "only about the chain, the worker or the token with this id, or that fits this pattern (`*` and `?`)"},
    Parameter{"who", Kind::text, "only by who has this name or id, or fits this pattern"},
};
constexpr std::array kWebhookFilters{
    Parameter{"cursor", Kind::text, "`cursor` of the page before"},
    kLimit,
    Parameter{"state", Kind::choices, "only deliveries in these states, separated by commas", 0, 0, storage::kDeliveryStateNames},
    Parameter{"chain", Kind::text, "only of this chain"},
};
constexpr std::array kLogFilters{
    Parameter{"from", Kind::whole, "`next` of the page before: who follows asks again for it", 1, kLargest},
    Parameter{"step", Kind::text, "only what attempts of this step printed"},
    Parameter{"item", Kind::whole, "of that step, only attempts of this item", 0, kLargest},
    Parameter{"attempt", Kind::whole, "only this attempt of each task, from 1", 1, kLargest},
    Parameter{"stream", Kind::choices, "only this stream", 0, 0, kStreams},
};

// ---- answers ------------------------------------------------------------------------------------------------------------

constexpr Documented kNoChain{404, "Problem", "no chain has that id (`chain_not_found`)"};
constexpr Documented kNoStep{404, "Problem", "no chain has that id, or it has no such step or item"};
constexpr Documented kChainState{409, "Problem", "the chain's status does not allow this (`chain_state`)"};
constexpr Documented kBusy{503, "Problem", "the coordinator has as much to do as it takes, or ends; `Retry-After` says when to try again"};
constexpr Documented kNoStreamRoom{503, "Problem",
                                   "as many streams are read as the coordinator holds, 2000, or it ends; `Retry-After` says when to try again"};
constexpr Documented kNotYet{202, "Chain", "the chain has not ended; `Location` names it, `Retry-After` says when to look again"};

constexpr std::array kAlive{Documented{200, "Status", "the process answers"}};
constexpr std::array kReady{Documented{200, "Status", "chains are taken"},
                            Documented{503, "Problem", "the store cannot be read, or the coordinator ends"}};
constexpr std::array kOpenApi{Documented{200, "", "an OpenAPI 3.1 document"}};
constexpr std::array kMetrics{
    Documented{200, "", "the metrics, in the text form of Prometheus, or as OpenMetrics where `Accept` names it", {}, {}, "text/plain"}, kBusy};
constexpr std::array kLinesAndEvents{kLinesType, kEventsType};
constexpr std::array kLines{kLinesType};
constexpr std::array kFeed{Documented{200, "FeedPage", "a page of events, or as `Accept` says a stream of them", kLinesAndEvents, "FeedEvent"},
                           kNoStreamRoom};
constexpr std::array kChainEvents{
    Documented{200, "", "events as they are written; `end` is the last, when the chain has ended", kLinesAndEvents, "Event"}, kNoStep, kNoStreamRoom};
constexpr std::array kResults{Documented{200, "", "what became of each item, in their order", kLines, "ItemResult"}, kNoStep, kNoStreamRoom};
constexpr std::array kAuditAnswers{Documented{200, "AuditPage", "a page of entries"}};
constexpr std::array kWebhookAnswers{Documented{200, "WebhookPage", "a page of deliveries"}};
constexpr std::array kReplayed{Documented{200, "StatusOrPreview", "it is durable, and tried at once"},
                               Documented{404, "Problem", "no delivery with that id is kept"}, kBusy};
constexpr std::array kLimitAnswers{Documented{200, "Limits", "the limits of whoever asks; without members: there are none"}};
constexpr std::array kErrorList{Documented{200, "ErrorCodes", "every code of an error"}};
constexpr std::array kErrorOne{Documented{200, "ErrorCode", "what the code means"}, Documented{404, "Problem", "there is no such code"}};

constexpr std::array kSubmitted{
    Documented{200, "ChainOrPreview", "the chain has ended while the request waited: its response, or its error; or it was only validated"},
    Documented{202, "Chain", "the chain is accepted and durable, and has not ended; `Location` names it"},
    Documented{404, "Problem", "the chain that was submitted with this key before is removed (`chain_not_found`)"},
    Documented{409, "Problem", "a chain with that id exists (`chain_exists`)"},
    Documented{422, "Problem",
               "the key was given to another submission (`submission_conflict`), or the definition, its arguments or its context are wrong: all that "
               "is wrong, with pointers into the body"},
    kBusy,
};
constexpr std::array kBatchDone{
    Documented{
        200, "BatchLine", "a line for each submission, in their order: its chain, which is durable, or why it was refused", {}, {}, kLinesType},
    Documented{413, "Problem", "the batch has too many lines or bytes (`request_too_large`): nothing of it was submitted"},
    kBusy,
};
constexpr std::array kChainPage{Documented{200, "ChainPage", "a page of chains, newest first; `cursor` asks for the next one"}};
constexpr std::array kChildPage{Documented{200, "ChainPage", "a page of chains; `cursor` asks for the next one"}, kNoChain};
constexpr std::array kOneChain{Documented{200, "Chain", "the chain as it is"}, kNotYet, kNoChain, kBusy};
constexpr std::array kRemoved{Documented{200, "RemovedOrPreview", "the chain is removed, with all its descendants, or could be"}, kNoChain,
                              kChainState};
constexpr std::array kSteps{Documented{200, "StepPage", "a page of steps, in the order of the definition"}, kNoChain};
constexpr std::array kItems{Documented{200, "ItemPage", "a page of items of the step's latest visit"}, kNoStep};
constexpr std::array kItemStates{Documented{200, "ItemStates", "the statuses of all items, as runs of neighbours"}, kNoStep};
constexpr std::array kClusters{Documented{200, "ClusterPage", "failed items in groups, the largest first"}, kNoStep};
constexpr std::array kChainClusters{Documented{200, "ChainClusterPage", "failures of all steps in groups, the largest first"}, kNoChain};
constexpr std::array kStore{Documented{200, "Store", "how far it was written, and what it takes on the disk"}};
constexpr std::array kHistory{Documented{200, "HistoryPage", "a page of events"}, kNoStep};
constexpr std::array kLogs{Documented{200, "LogPage", "a page of what was printed"}, kNoStep};
constexpr std::array kValue{Documented{200, "Value", "the value, whole"},
                            Documented{404, "Problem", "no chain has that id, or it has no such value yet"}};
constexpr std::array kControlled{
    Documented{200, "ChainOrPreview", "done, and the chain has ended; or it was only validated"},
    Documented{202, "Chain", "done, and durable; the chain goes on"},
    kNoChain,
    kChainState,
    Documented{422, "Problem", "the body is wrong, or names what the chain does not have"},
    kBusy,
};
constexpr std::array kRetried{
    Documented{200, "RetryAnswer", "with `dry_run`: what would run, and why; without: the chain runs again and has ended"},
    Documented{202, "Chain", "the chain runs again"},
    kNoChain,
    kChainState,
    Documented{422, "Problem", "the body is wrong, or names what the chain does not have"},
    kBusy,
};
constexpr std::array kValidated{Documented{200, "Validation", "the definition is valid"},
                                Documented{422, "Problem", "all that is wrong with it, with pointers into the body"}};
constexpr std::array kNodes{Documented{200, "Nodes", "the workers that are here, or were"}, kBusy};
constexpr std::array kNodeControlled{Documented{200, "StatusOrPreview", "done, and durable; or it was only validated"},
                                     Documented{404, "Problem", "no worker of that name has registered"}, kBusy};

// ---- the table ----------------------------------------------------------------------------------------------------------

constexpr std::array kRoutes{
    Route{Verb::get, "/livez", "livez", "Server", Role::anyone, "whether the process answers", "", {}, "", 0, kAlive, Instant{tell_alive}},
    Route{Verb::get, "/readyz", "readyz", "Server", Role::anyone, "whether chains are taken", "", {}, "", 0, kReady, Work{tell_ready}},
    Route{Verb::get,
          "/openapi.json",
          "openapi",
          "Server",
          Role::viewer,
          "this interface as an OpenAPI document",
          "",
          {},
          "",
          0,
          kOpenApi,
          Instant{tell_openapi}},
    Route{Verb::get,
          "/metrics",
          "metrics",
          "Server",
          Role::viewer,
          "what the coordinator counts about itself",
          "[Metrics](metrics.md) lists them.",
          {},
          "",
          0,
          kMetrics,
          Work{tell_metrics}},
    Route{Verb::get, "/v1/events", "readFeed", "Chains", Role::viewer, "what becomes of all chains, in order",
          "That chains began, got to their next step, were steered and ended, in the order in which it was written. `next` begins what comes later; "
          "numbers grow, "
          "with gaps. `lost` says that what lies between is not kept any more (`feed.keep`): list the chains anew. "
          "With `Accept: text/event-stream` or `application/x-ndjson` the answer is a [stream](http.md#streams) of what comes behind `after` or from "
          "`from` on, and otherwise from now on; in place of `lost` it has an event `reset`.",
          kFeedFilters, "", 0, kFeed, Work{read_feed}},
    Route{
        Verb::get, "/v1/audit", "readAudit", "Server", Role::admin, "what was asked of chains, workers and tokens, by whom and why",
        "In the order in which it was asked, also what was refused then. Submissions are not there: chains tell of those. `audit.keep` says how many "
        "entries are kept. [The audit log](audit.md) says more.",
        kAuditFilters, "", 0, kAuditAnswers, Work{read_audit}},
    Route{Verb::get, "/v1/webhooks", "listWebhooks", "Webhooks", Role::viewer, "what webhooks were told, and what waits",
          "Deliveries in the order of what they tell: those that wait for their next try, and the newest that arrived or were given up "
          "(`webhooks.keep`). [Webhooks](webhooks.md) says more.",
          kWebhookFilters, "", 0, kWebhookAnswers, Work{list_webhooks}},
    Route{Verb::post, "/v1/webhooks/{delivery}:replay", "replayWebhook", "Webhooks", Role::operate, "deliver once more",
          "Also what arrived before. It keeps its id and has a day for its tries again.", kChecks, "", 0, kReplayed, Work{replay_webhook}},
    Route{Verb::get,
          "/v1/limits",
          "tellLimits",
          "Server",
          Role::viewer,
          "how much whoever asks may ask, and has asked",
          "What one access token, one certificate, or one address where neither is shown, may ask for: `http.requests_per_second`, `http.burst`, "
          "`http.open_requests`, and the rate that a token was made with. [Limits](http.md#limits) says more.",
          {},
          "",
          0,
          kLimitAnswers,
          Instant{tell_limits}},
    Route{
        Verb::get,
        "/v1/store",
        "tellStore",
        "Server",
        Role::viewer,
        "the store that has the chains",
        "`commit` is the number of the last write, `durable_commit` that of the last one that survives a loss of power; `epoch` counts how often the "
        "store was opened. `catena store stats` counts what is in it.",
        {},
        "",
        0,
        kStore,
        Work{tell_store}},
    Route{Verb::get, "/v1/errors", "listErrors", "Server", Role::viewer, "the codes of errors", "", {}, "", 0, kErrorList, Instant{list_errors}},
    Route{Verb::get,
          "/v1/errors/{code}",
          "tellError",
          "Server",
          Role::viewer,
          "what one code means",
          "The `type` of a problem is such a path.",
          {},
          "",
          0,
          kErrorOne,
          Instant{tell_error}},

    Route{Verb::post, "/v1/chains", "submitChain", "Chains", Role::operate, "start a chain",
          "The definition comes with the request, in any of the dialects as JSON, or is named: a core tool, or a definition in a tool root of the "
          "coordinator. One that comes with the request can call those, and names no program of the machine. A request that is sent again with the "
          "same `id` starts no "
          "second chain: it is refused with `chain_exists`. One that is sent again with the same header `Idempotency-Key` is answered with the chain "
          "that the "
          "first one began, as long as the key is kept (`chains.idempotency_ttl`, a day).",
          kWrites, "Submission", kDefinitionBytes, kSubmitted, Work{submit_chain}},
    Route{Verb::post,
          "/v1/chains:batch",
          "submitBatch",
          "Chains",
          Role::operate,
          "start many chains",
          "Each line of the body is a submission, at most 10,000 lines. They are submitted together and become durable in groups; a line that is "
          "wrong refuses nothing but itself. Blank lines are left out. A batch whose answer was lost is sent again: a line with an "
          "`idempotency_key`, or an `id`, begins no second chain.",
          {},
          "BatchSubmission",
          limits::kBatchBytesMax,
          kBatchDone,
          Work{submit_batch},
          false,
          kLinesType},
    Route{Verb::get, "/v1/chains", "listChains", "Chains", Role::viewer, "list chains", "", kChainFilters, "", 0, kChainPage, Work{list_chains}},
    Route{Verb::get, "/v1/chains/{id}", "tellChain", "Chains", Role::viewer, "one chain",
          "The members are those of `catena run -o json`. A response of more than 512 KiB is left out: `response_bytes` says how large it is, and "
          "`/v1/chains/{id}/response` has it. With a wait the answer comes when the chain has ended, or when the wait is over, with 202.",
          kWaits, "", 0, kOneChain, Work{tell_chain}},
    Route{Verb::remove, "/v1/chains/{id}", "removeChain", "Chains", Role::admin, "remove a chain that has ended", "", kRemovals, "", 0, kRemoved,
          Work{remove_chain}},
    Route{Verb::get, "/v1/chains/{id}/children", "listChildren", "Chains", Role::viewer, "the chains that it has started", "", kChildFilters, "", 0,
          kChildPage, Work{list_children}},

    Route{Verb::get, "/v1/chains/{id}/steps", "listSteps", "Tasks", Role::viewer, "its steps", "", kPages, "", 0, kSteps, Work{list_steps}},
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

    Route{Verb::post, "/v1/chains/{id}:cancel", "cancelChain", "Control", Role::operate, "cancel a chain", "", kWrites, "Cancel", kControlBytes,
          kControlled, Work{cancel_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:resume", "resumeChain", "Control", Role::operate, "go on with a chain that was interrupted or set aside", "",
          kWrites, "Reason", kControlBytes, kControlled, Work{resume_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:retry", "retryChain", "Control", Role::operate, "run again what failed or never ran",
          "Results whose tool and arguments are unchanged stay.", kWrites, "Retry", kControlBytes, kRetried, Work{retry_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:skip", "skipTasks", "Control", Role::operate,
          "give a step, or items of one, a response in place of running it", "", kWrites, "Skip", kControlBytes, kControlled, Work{skip_tasks}},
    Route{Verb::post, "/v1/chains/{id}:resolve", "resolveTasks", "Control", Role::operate, "say what became of an attempt in doubt", "", kWrites,
          "Resolve", kControlBytes, kControlled, Work{resolve_tasks}},

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

    Route{Verb::get, "/v1/nodes", "listNodes", "Workers", Role::viewer, "the workers", "", {}, "", 0, kNodes, Work{list_nodes}},
    Route{Verb::post, "/v1/nodes/{node}:cordon", "cordonNode", "Workers", Role::admin, "give a worker no new work", "", kChecks, "Reason",
          kControlBytes, kNodeControlled, Work{cordon_node}, true},
    Route{Verb::post, "/v1/nodes/{node}:uncordon", "uncordonNode", "Workers", Role::admin, "give a worker work again", "", kChecks, "Reason",
          kControlBytes, kNodeControlled, Work{uncordon_node}, true},
    Route{Verb::post, "/v1/nodes/{node}:drain", "drainNode", "Workers", Role::admin, "let a worker finish what it runs and leave", "", kChecks,
          "Reason", kControlBytes, kNodeControlled, Work{drain_node}, true},
};
constexpr std::array kGroups{
    Group{"Server", "Whether the server works, what it counts, and what its words mean."},
    Group{"Chains", "Submit chains, wait for them, and list them."},
    Group{"Tasks", "What the steps and items of a chain do, and what they printed."},
    Group{"Values", "What went in and came out, in full."},
    Group{"Control", "End chains, take them up again, and repair them."},
    Group{"Definitions", "Check a definition before it is submitted."},
    Group{"Webhooks", "What other programs are told of what becomes of chains."},
    Group{"Workers", "Which there are, and whether they are given work."},
};
constexpr bool has_group(const Route& route) {
  return std::ranges::any_of(kGroups, [&](const Group& group) { return group.name == route.group; });
}
static_assert(std::ranges::all_of(kRoutes, has_group), "a route is of a group that says what it is about");
static_assert(std::ranges::all_of(kRoutes, is_documented), "a route says what it is for, what each parameter means, and how it answers");

}  // namespace

std::span<const Route> routes() { return kRoutes; }
std::span<const Group> groups() { return kGroups; }

}  // namespace catena::api
