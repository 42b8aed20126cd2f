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

constexpr std::array kControlRoutes{
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
    Route{Verb::post, "/v1/chains/{id}:resume", "resumeChain", "Control", Role::operate, "go on with a chain that was interrupted or set aside", "",
          kWrites, "Reason", kControlBytes, kControlled, Work{resume_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:retry", "retryChain", "Control", Role::operate, "run again what failed or never ran",
          "Results whose tool and arguments are unchanged stay.", kWrites, "Retry", kControlBytes, kRetried, Work{retry_chain}, true},
    Route{Verb::post, "/v1/chains/{id}:skip", "skipTasks", "Control", Role::operate,
          "give a step, or items of one, a response in place of running it", "", kWrites, "Skip", kControlBytes, kControlled, Work{skip_tasks}},
    Route{Verb::post, "/v1/chains/{id}:resolve", "resolveTasks", "Control", Role::operate, "say what became of an attempt in doubt", "", kWrites,
          "Resolve", kControlBytes, kControlled, Work{resolve_tasks}},
};
static_assert(are_whole(kControlRoutes));

}  // namespace

std::span<const Route> control_routes() { return kControlRoutes; }

}  // namespace catena::api
