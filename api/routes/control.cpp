// What people do to a chain.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

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

constexpr std::array kForked{
    Documented{200, "ForkAnswer", "the new chain, which has ended; or it was only validated: what would be shared, and what would run"},
    Documented{202, "Chain", "the new chain has begun, and that is durable; `Location` is its address"},
    kNoChain,
    Documented{409, "Problem", "the chain does not allow it there (`chain_state`), or a chain with the new id exists (`chain_exists`)"},
    Documented{422, "Problem", "the body is wrong, or names what the chain does not have"},
    kBusy,
};

constexpr std::array kApprovalFilters{
    Parameter{"chain", Kind::text, "only of the chain with this id, and of those below it"},
    Parameter{"who", Kind::text, "only those that these words are to approve, as the definition has them"},
    Parameter{"namespace", Kind::text, "only of chains of this namespace"},
    kLimit,
    kOnlyFields,
    kCursor,
};
constexpr std::array kApprovalPage{Documented{200, "ApprovalPage", "a page of what waits; `cursor` asks for the next one"}};

constexpr std::array kControlRoutes{
    Route{Verb::get, "/v1/approvals", "listApprovals", "Control", Role::viewer, "steps that wait for approval",
          "Of all chains, the longest waiting first. [Approvals](control.md#approvals) says more.", kApprovalFilters, "", 0, kApprovalPage,
          Work{list_approvals}},
    Route{Verb::post, "/v1/chains/{id}:cancel", "cancelChain", "Control", Role::operate, "cancel a chain", "", kWrites, "Cancel", kControlBytes,
          kControlled, Work{cancel_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:kill", "killChain", "Control", Role::operate, "end a chain now",
          "As `:cancel` with `now`: what runs is stopped, final steps included, and none begins.", kWrites, "Reason", kControlBytes, kControlled,
          Work{kill_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:pause", "pauseChain", "Control", Role::operate, "begin nothing new for a while",
          "What runs ends and is recorded. Its child chains are paused with it. Deadlines go on.", kWrites, "Reason", kControlBytes, kControlled,
          Work{pause_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:unpause", "unpauseChain", "Control", Role::operate, "let a paused chain go on", "", kWrites, "Reason",
          kControlBytes, kControlled, Work{unpause_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:amend", "amendChain", "Control", Role::operate, "change the terms of a chain that runs",
          "In force at once, for all steps or for one; what is out keeps the terms that it went out with.", kWrites, "Amend", kControlBytes,
          kControlled, Work{amend_chain}},
    Route{Verb::post, "/v1/chains/{id}:signal", "signalChain", "Control", Role::operate, "send a chain a signal that a step waits for",
          "One that comes before its step waits is kept. Each signal is taken by one step.", kWrites, "Signal", kControlBytes, kControlled,
          Work{signal_chain}},
    Route{Verb::post, "/v1/chains/{id}:approve", "approveTasks", "Control", Role::operate, "let a step run that waits for approval, or items of one",
          "With `edit` it runs with other arguments, where the definition allows it.", kWrites, "Approve", kControlBytes, kControlled,
          Work{approve_tasks}},
    Route{Verb::post, "/v1/chains/{id}:reject", "rejectTasks", "Control", Role::operate, "reject a step that waits for approval, or items of one",
          "It fails with `approval_rejected`, and is not tried again.", kWrites, "Reject", kControlBytes, kControlled, Work{reject_tasks}},
    Route{Verb::post, "/v1/chains/{id}:resume", "resumeChain", "Control", Role::operate, "go on with a chain that was interrupted or set aside", "",
          kWrites, "Reason", kControlBytes, kControlled, Work{resume_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:retry", "retryChain", "Control", Role::operate, "run again what failed or never ran",
          "Results whose tool and arguments are unchanged stay.", kWrites, "Retry", kControlBytes, kRetried, Work{retry_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:fork", "forkChain", "Control", Role::operate, "begin a chain with what this one had come to",
          "At a step, or at an event of its history. The new chain shares all that had settled there; this one stays as it is. [Forking a "
          "chain](control.md#forking-a-chain) says more.",
          kWrites, "Fork", kControlBytes, kForked, Work{fork_chain}},
    Route{Verb::post, "/v1/chains/{id}:skip", "skipTasks", "Control", Role::operate,
          "give a step, or items of one, a response in place of running it", "", kWrites, "Skip", kControlBytes, kControlled, Work{skip_tasks}},
    Route{Verb::post, "/v1/chains/{id}:resolve", "resolveTasks", "Control", Role::operate, "say what became of an attempt in doubt", "", kWrites,
          "Resolve", kControlBytes, kControlled, Work{resolve_tasks}},
};
static_assert(are_whole(kControlRoutes));

}  // namespace

std::span<const Route> control_routes() { return kControlRoutes; }

}  // namespace catena::api
