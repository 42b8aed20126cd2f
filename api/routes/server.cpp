// The server itself, its workers, and what other programs are told.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"
#include "coordinator/posted_calls.hpp"

namespace catena::api {
namespace {

constexpr std::array kAuditFilters{
    Parameter{"from", Kind::whole, "`next` of the page before", 1, std::uint64_t{1} << 62U},
    kLimit,
    kOnlyFields,
    Parameter{"since", Kind::moment, "only entries since this time (ISO 8601), or in this time before now (`90s`)"},
    Parameter{"act", Kind::text, "only of this: `cancel`, `retry`, `drain`, ..."},
    Parameter{"subject", Kind::text, "only about the chain, the worker or the token with this id, or that fits this pattern (`*` and `?`)"},
    Parameter{"who", Kind::text, "only by who has this name or id, or fits this pattern"},
};
constexpr std::array kWebhookFilters{
    Parameter{"cursor", Kind::text, "`cursor` of the page before"},
    kLimit,
    kOnlyFields,
    Parameter{"state", Kind::choices, "only deliveries in these states, separated by commas", 0, 0, storage::kDeliveryStateNames},
    Parameter{"chain", Kind::text, "only of this chain"},
};
constexpr std::array kAlive{Documented{200, "Status", "the process answers"}};
constexpr std::array kReady{Documented{200, "Status", "chains are taken"},
                            Documented{503, "Problem", "the store cannot be read, or the coordinator ends"}};
constexpr std::array kOpenApi{Documented{200, "", "an OpenAPI 3.1 document"}};
constexpr std::array kMetrics{
    Documented{200, "", "the metrics, in the text form of Prometheus, or as OpenMetrics where `Accept` names it", {}, {}, "text/plain"}, kBusy};
constexpr std::array kAuditAnswers{Documented{200, "AuditPage", "a page of entries"}};
constexpr std::array kWebhookAnswers{Documented{200, "WebhookPage", "a page of deliveries"}};
constexpr std::array kReplayed{Documented{200, "StatusOrPreview", "it is durable, and tried at once"},
                               Documented{404, "Problem", "no delivery with that id is kept"}, kBusy};
constexpr std::array kLimitAnswers{Documented{200, "Limits", "the limits of whoever asks; without members: there are none"}};
constexpr std::array kErrorList{Documented{200, "ErrorCodes", "every code of an error"}};
constexpr std::array kErrorOne{Documented{200, "ErrorCode", "what the code means"}, Documented{404, "Problem", "there is no such code"}};
constexpr std::array kStore{Documented{200, "Store", "how far it was written, and what it takes on the disk"}};
constexpr std::array kDiagnosis{Documented{200, "Diagnosis", "findings, in the order of the checks"}, kBusy};
constexpr std::array kNodes{Documented{200, "Nodes", "the workers that are here, or were"}, kBusy};
constexpr std::array kNodeControlled{Documented{200, "StatusOrPreview", "done, and durable; or it was only validated"},
                                     Documented{404, "Problem", "no worker of that name has registered"}, kBusy};

constexpr std::array kCallsAnswered{
    Documented{200, "", "an answer for each call, in their order; each may be an error of its own", {}, {}, coordinator::kPostedCallsType},
    Documented{400, "Problem", "the body carries no calls"},
    Documented{422, "Problem", "client and coordinator speak no version in common (`feature_unavailable`)"}, kBusy};

constexpr std::array kServerRoutes{
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
    Route{Verb::get,
          "/v1/diagnose",
          "diagnose",
          "Server",
          Role::viewer,
          "what an operator asks first, judged",
          "One look at versions, disk, clock, chains, workers, certificates, limits, webhooks, traces and settings. Each finding has the code of "
          "its "
          "check, how bad it is, where, and what to do. `catena doctor` prints the same; [its checks](troubleshooting.md#ask-the-doctor).",
          {},
          "",
          0,
          kDiagnosis,
          Work{tell_diagnosis}},
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
    Route{Verb::get, "/v1/nodes", "listNodes", "Workers", Role::viewer, "the workers", "", {}, "", 0, kNodes, Work{list_nodes}},
    Route{Verb::post, "/v1/nodes/{node}:cordon", "cordonNode", "Workers", Role::admin, "give a worker no new work", "", kChecks, "Reason",
          kControlBytes, kNodeControlled, Work{cordon_node}, true},
    Route{Verb::post, "/v1/nodes/{node}:uncordon", "uncordonNode", "Workers", Role::admin, "give a worker work again", "", kChecks, "Reason",
          kControlBytes, kNodeControlled, Work{uncordon_node}, true},
    Route{Verb::post, "/v1/nodes/{node}:drain", "drainNode", "Workers", Role::admin, "let a worker finish what it runs and leave", "", kChecks,
          "Reason", kControlBytes, kNodeControlled, Work{drain_node}, true},
    Route{
        Verb::post,
        "/v1/calls",
        "postCalls",
        "Server",
        Role::viewer,
        "what the command line asks",
        "The protocol of `catena --profile NAME` itself ([profiles](profiles.md)), for no other program: MessagePack, and its calls are those of a "
        "link. Versions are agreed upon with each request. Each call is checked before the first is served: it needs the role that the route of the "
        "same purpose needs, and keeps to the caller's namespace; one that is refused is answered with why, and the others are served. The answer "
        "comes when each call has one, or with those that wait for a chain left open after at most 30 s: they are sent again.",
        {},
        "Calls",
        coordinator::kPostedBytesMax,
        kCallsAnswered,
        Work{post_calls},
        false,
        coordinator::kPostedCallsType},
};
static_assert(are_whole(kServerRoutes));

}  // namespace

std::span<const Route> server_routes() { return kServerRoutes; }

}  // namespace catena::api
