// Child chains as a tree.
#include "cli/show/family.hpp"

#include <catch2/catch.hpp>

namespace catena::cli::test {
namespace {

using engine::ChainStatus;

coordinator::ListedChain chain(const std::string& id, const std::string& parent, ChainStatus status, std::optional<Error> error = {}) {
  coordinator::ListedChain row;
  row.id = ChainId{id};
  row.parent = ChainId{parent};
  row.name = "photo";
  row.status = status;
  row.steps = 2;
  row.steps_settled = status == ChainStatus::running ? 1 : 2;
  row.error = std::move(error);
  return row;
}

}  // namespace

TEST_CASE("child chains stand below their parents in the order of their items; of many alike, the first few") {
  Family family;
  for (const auto* item : {"10", "9", "2", "1", "0", "3"}) family.chains.push_back(chain(std::string{"c/each/"} + item, "c", ChainStatus::succeeded));
  family.chains.push_back(chain("c/each/4", "c", ChainStatus::failed, make_error(Code::child_failed, "said below")));
  family.chains.push_back(chain("c/each/4/sub", "c/each/4", ChainStatus::failed, make_error(Code::tool_failed, "no space")));
  CHECK(family_lines(ChainId{"c"}, family) ==
        std::vector<std::string>{"  each/0  succeeded         2/2 steps  photo", "  each/1  succeeded         2/2 steps  photo",
                                 "  each/2  succeeded         2/2 steps  photo", "  each/4  failed            2/2 steps  photo",
                                 "    sub   failed            2/2 steps  photo  [tool_failed] no space", "  each/…  3 more succeeded"});
  CHECK(family_lines(ChainId{"c"}, {}).empty());
}

TEST_CASE("child chains are counted by what became of them") {
  coordinator::FamilyCounts counts;
  CHECK(family_counts_text(counts).empty());
  counts.counts = {{ChainStatus::running, 2}, {ChainStatus::failed, 1}};
  CHECK(family_counts_text(counts) == "3 child chains: 2 running, 1 failed");
}

}  // namespace catena::cli::test
