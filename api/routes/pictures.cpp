// A chain as a picture, and a definition while it is written.
#include "api/routes/shared.hpp"
#include "api/routes/tables.hpp"

namespace catena::api {
namespace {

constexpr std::array kTextPages{Parameter{"from", Kind::whole, "`next` of the page before", 0, kLargest}};
constexpr std::array kRowPages{Parameter{"from", Kind::whole, "`next` of the page before", 0, kLargest}, kLimit,
                               Parameter{"step", Kind::text, "only rows of this step, and of its items"}};
constexpr Parameter kFromEvent{"from", Kind::whole, "`next` of the page before: the number of an event", 1, kNumberMax};
constexpr std::array kSlowestFilters{Parameter{"count", Kind::whole, "how many (default 20)", 1, coordinator::kSlowestMax}, kFromEvent};
constexpr std::array kEventPages{kFromEvent};

constexpr std::array kOther{Parameter{"with", Kind::text, "the id of the chain that it is compared with (needed)"},
                            Parameter{"from", Kind::whole, "`next` of the page before", 0, kLargest}};

constexpr Documented kNoSuchStep{404, "Problem", "no chain has that id, or it has no such step"};
constexpr Documented kWrong{422, "Problem", "all that is wrong with it"};
constexpr std::array kGraph{Documented{200, "Graph", "its steps, and what waits for what"}, kNoChain};
constexpr std::array kDiff{Documented{200, "ChainDiff", "a page of what differs"}, Documented{400, "Problem", "`with` is missing"},
                           Documented{404, "Problem", "no chain has one of the ids"}};
constexpr std::array kPinned{Documented{200, "PinnedDefinitions", "a page of definitions, in the order of their paths"}, kNoChain};
constexpr std::array kTimeline{Documented{200, "Timeline", "a page of rows"}, kNoSuchStep};
constexpr std::array kSlowest{Documented{200, "SlowestItems", "the slowest items, the slowest first"}, kNoSuchStep};
constexpr std::array kWorkers{Documented{200, "ItemWorkers", "the workers, those with the most items first"}, kNoSuchStep};
constexpr std::array kChecked{Documented{200, "CheckedDefinition", "what is wrong with it, which may be nothing"}};
constexpr std::array kDrawn{Documented{200, "Graph", "its steps, and what waits for what"}, kWrong};
constexpr std::array kTested{Documented{200, "TestedDefinition", "what came of each test"}, kWrong, kBusy};

constexpr std::array kPictureRoutes{
    Route{Verb::get,
          "/v1/chains/{id}/graph",
          "drawChain",
          "Tasks",
          Role::viewer,
          "its definition as a graph",
          "Nodes and edges are those of the picture that `catena graph` makes. The nodes of the block that a step runs (the rounds of a loop, the "
          "branches of a parallel step) name that step as their `parent`.",
          {},
          "",
          0,
          kGraph,
          Work{draw_chain}},
    Route{
        Verb::get, "/v1/chains/{id}/diff", "diffChains", "Tasks", Role::viewer, "how it differs from another chain",
        "Definitions, arguments, context and response stand in the first page, the steps of both in as many as there are. Values are compared member "
        "by member (paths are JSON Pointers), large ones only as a whole; `first` and `second` of a change are JSON text, of a long one its "
        "beginning. Of fan-outs: which items failed in one chain and not in the other, and of the first 10,000 which succeeded in both with "
        "another response.",
        kOther, "", 0, kDiff, Work{diff_chains}},
    Route{Verb::get, "/v1/chains/{id}/definition", "readPinnedDefinitions", "Values", Role::viewer,
          "the definitions that it runs, as they were pinned",
          "Texts as they were when the chain was submitted or took up changes. Of a text of more than 1 MiB the beginning.", kTextPages, "", 0,
          kPinned, Work{read_definition}},
    Route{Verb::get, "/v1/chains/{id}/timeline", "tellTimeline", "Tasks", Role::viewer, "when what ran, and what the chain waited for",
          "A row for each visit of a step, in the order in which they began; behind the row of a fan-out those of its slowest items, at most 20. "
          "`critical_path` is in the first page: the visit that ended last, before it the one whose end opened its gate, and so on. `complete` is "
          "false "
          "where only the first 200,000 events, or the first 100,000 attempts of items, were looked at.",
          kRowPages, "", 0, kTimeline, Work{tell_timeline}},
    Route{Verb::get, "/v1/chains/{id}/steps/{step}/items:slowest", "tellSlowestItems", "Tasks", Role::viewer, "the items that took longest",
          "Of the step's latest visit. `took_ms` counts from the grant of an attempt to its report, over all attempts of the item. One answer is "
          "about the "
          "attempts that began in 100,000 events: with `next` the slowest of the next ones are asked for.",
          kSlowestFilters, "", 0, kSlowest, Work{tell_slowest_items}},
    Route{Verb::get, "/v1/chains/{id}/steps/{step}/items:workers", "tellItemWorkers", "Tasks", Role::viewer, "who ran the items of a step",
          "Of the step's latest visit: attempts that have ended, by worker. The sums of several pages are added.", kEventPages, "", 0, kWorkers,
          Work{tell_item_workers}},

    Route{Verb::post,
          "/v1/definitions:check",
          "checkDefinition",
          "Definitions",
          Role::viewer,
          "what is wrong with a definition while it is written, and what can be written next",
          "The problems are those of `catena validate`, for YAML and JSON in any of the dialects. Lines and columns count from 1, columns in bytes. "
          "With "
          "`at` the answer has what the checker would know at that place; `insert` goes in place of what stands between `completes_from` and there.",
          {},
          "DefinitionText",
          kDefinitionBytes,
          kChecked,
          Work{check_definition}},
    Route{Verb::post,
          "/v1/definitions:graph",
          "drawDefinition",
          "Definitions",
          Role::viewer,
          "a definition as a graph",
          "",
          {},
          "NamedText",
          kDefinitionBytes,
          kDrawn,
          Work{draw_definition}},
    Route{Verb::post,
          "/v1/definitions:test",
          "testDefinition",
          "Definitions",
          Role::operate,
          "run a file of definition tests",
          "As `catena test` runs it: no tool is executed, and time is virtual. The tests name `definition` by its `file_name`, or one that the "
          "coordinator knows: by its name, or by its path in a tool root. At most 100 tests, which make 20,000 attempts and take ten seconds in all; "
          "requests wait for each other. [Testing definitions](testing-definitions.md) tells the format.",
          {},
          "DefinitionTests",
          kDefinitionBytes,
          kTested,
          Work{test_definition}},
};
static_assert(are_whole(kPictureRoutes));

}  // namespace

std::span<const Route> picture_routes() { return kPictureRoutes; }

}  // namespace catena::api
