#pragma once
// Parameters and answers that routes of several files have, and what each of these files is held to.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "api/fields.hpp"
#include "api/handlers/handlers.hpp"
#include "api/preview.hpp"
#include "base/limits.hpp"

namespace catena::api {

inline constexpr std::size_t kDefinitionBytes = limits::kDocumentBytesMax;
inline constexpr std::uint64_t kLargest = 4'294'967'295;  // number of an item, an event or a step
inline constexpr std::size_t kControlBytes = 1UL << 20U;
inline constexpr Parameter kWait{
    "wait", Kind::span,
    "how long the request may wait for the chain to end, at most 60s; a number alone counts seconds. `Prefer: wait=30` says the same"};
inline constexpr Parameter kLimit{"limit", Kind::whole, "rows of the page (default 100)", 1, 1000};
inline constexpr Parameter kEpoch{"epoch", Kind::whole, "as it was at the end of this epoch, from 1 on", 1, kLargest};
inline constexpr Parameter kOnlyFields{kFields, Kind::text, "of each row only these members, separated by commas"};
inline constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;
inline constexpr Parameter kAfter{
    "after", Kind::whole, "the number of the last event that is known. The header `Last-Event-ID` says the same, and goes first", 0, kNumberMax};
inline constexpr Parameter kCheckOnly{kValidateOnly, Kind::flag,
                                      "`true`: nothing is done; the request is refused as it would be, or answered with what would happen"};
inline constexpr std::array kWrites{kWait, kCheckOnly};
inline constexpr Parameter kCursor{"cursor", Kind::text, "`cursor` of the page before"};
inline constexpr std::array kRemovals{kCheckOnly, Parameter{"reason", Kind::text, "why, for the audit log"}};
inline constexpr std::array kChecks{kCheckOnly};
inline constexpr Documented kNoChain{404, "Problem", "no chain has that id (`chain_not_found`)"};
inline constexpr Documented kChainState{409, "Problem", "the chain's status does not allow this (`chain_state`)"};
inline constexpr Documented kBusy{503, "Problem", "the coordinator has as much to do as it takes, or ends; `Retry-After` says when to try again"};
inline constexpr Documented kNoStreamRoom{
    503, "Problem", "as many streams are read as the coordinator holds, 2000, or it ends; `Retry-After` says when to try again"};
inline constexpr std::array kLinesAndEvents{kLinesType, kEventsType};

inline constexpr std::array kGroups{
    Group{"Server", "Whether the server works, what it counts, and what its words mean."},
    Group{"Chains", "Submit chains, wait for them, and list them."},
    Group{"Tasks", "What the steps and items of a chain do, and what they printed."},
    Group{"Values", "What went in and came out, in full."},
    Group{"Control", "Pause, amend, signal, approve and end chains, take them up again, and repair them."},
    Group{"Definitions", "Check a definition before it is submitted, and keep it at the coordinator for whoever submits."},
    Group{"Schedules", "Chains that begin by themselves when they are due."},
    Group{"Files", "The file store of the chains. A caller of one namespace reaches none of it."},
    Group{"Webhooks", "What other programs are told of what becomes of chains."},
    Group{"Workers", "Which there are, and whether they are given work."},
    Group{"Page", "The web page, which is part of the binary. The OpenAPI document leaves these out: no client is made for them.", true},
};

[[nodiscard]] constexpr bool has_group(const Route& route) {
  return std::ranges::any_of(kGroups, [&](const Group& group) { return group.name == route.group; });
}
/// A route is of a group that says what it is about, and says what it is for, what each parameter means, and how it answers.
[[nodiscard]] constexpr bool are_whole(std::span<const Route> rows) {
  return std::ranges::all_of(rows, has_group) && std::ranges::all_of(rows, is_documented);
}

}  // namespace catena::api
