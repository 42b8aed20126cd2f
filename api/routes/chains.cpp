// Chains: submitting them, listing them, looking at one.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr Parameter kStatus{"status", Kind::choices, "only chains of these statuses, separated by commas", 0, 0, engine::kChainStatusNames};
constexpr Parameter kNamespace{"namespace", Kind::text, "only of chains of this [namespace](access-tokens.md#namespaces)"};
constexpr std::array kWaits{kWait, kEpoch};
constexpr std::array kChainFilters{
    kStatus,
    Parameter{"name", Kind::text, "only chains of definitions with this name, or that fit this pattern (`*` and `?`)"},
    Parameter{"since", Kind::moment, "only chains that started since this time (ISO 8601), or in this time before now (`2h`)"},
    Parameter{"all", Kind::flag, "`true`: child chains, too"},
    Parameter{"label", Kind::text, "only chains that have this label: `key=value`, or a pattern of the value; several with commas"},
    kNamespace,
    kLimit,
    kOnlyFields,
    kCursor,
};
constexpr std::array kChildFilters{
    kStatus, Parameter{"all", Kind::flag, "`true`: all descendants, and not only the children"}, kLimit, kOnlyFields, kCursor,
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
constexpr Documented kNotYet{202, "Chain", "the chain has not ended; `Location` names it, `Retry-After` says when to look again"};
constexpr std::array kFeed{Documented{200, "FeedPage", "a page of events, or as `Accept` says a stream of them", kLinesAndEvents, "FeedEvent"},
                           kNoStreamRoom};
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

constexpr std::array kChainsRoutes{
    Route{Verb::get, "/v1/events", "readFeed", "Chains", Role::viewer, "what becomes of all chains, in order",
          "That chains began, got to their next step, were steered and ended, in the order in which it was written. `next` begins what comes later; "
          "numbers grow, "
          "with gaps. `lost` says that what lies between is not kept any more (`feed.keep`): list the chains anew. "
          "With `Accept: text/event-stream` or `application/x-ndjson` the answer is a [stream](http.md#streams) of what comes behind `after` or from "
          "`from` on, and otherwise from now on; in place of `lost` it has an event `reset`.",
          kFeedFilters, "", 0, kFeed, Work{read_feed}},
    Route{Verb::post, "/v1/chains", "submitChain", "Chains", Role::operate, "start a chain",
          "The definition comes with the request, in any of the dialects as JSON, or is named: a core tool, a definition in a tool root of the "
          "coordinator, or a stored one. One that comes with the request can call those, and names no program of the machine. A request that is sent "
          "again with the "
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
};
static_assert(are_whole(kChainsRoutes));

}  // namespace

std::span<const Route> chains_routes() { return kChainsRoutes; }

}  // namespace catena::api
