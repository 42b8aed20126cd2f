#include "engine/phase.hpp"

#include <catch2/catch.hpp>
#include <string>

namespace catena::engine {

TEST_CASE("every status has a name that leads back to it") {
  for (std::size_t row = 0; row < kChainStatusNames.size(); ++row) {
    CHECK(chain_status_named(kChainStatusNames[row]) == static_cast<ChainStatus>(row));
    CHECK(name(static_cast<ChainStatus>(row)) == kChainStatusNames[row]);
  }
  for (std::size_t row = 0; row < kVisitStatusNames.size(); ++row) {
    CHECK(visit_status_named(kVisitStatusNames[row]) == static_cast<VisitStatus>(row));
    CHECK(name(static_cast<VisitStatus>(row)) == kVisitStatusNames[row]);
  }
  CHECK_FALSE(chain_status_named("done"));
  CHECK_FALSE(visit_status_named(""));
}

TEST_CASE("nothing moves to where it is, and the last name is the last status") {
  for (std::size_t row = 0; row < kChainStatusNames.size(); ++row) {
    CHECK_FALSE(may_move(static_cast<ChainStatus>(row), static_cast<ChainStatus>(row)));
  }
  CHECK(name(ChainStatus::quarantined) == "quarantined");
  CHECK(name(VisitStatus::cancelled) == "cancelled");
}

TEST_CASE("an ended chain moves only to running, a succeeded or quarantined one never") {
  for (std::size_t row = 0; row < kChainStatusNames.size(); ++row) {
    const auto to = static_cast<ChainStatus>(row);
    CHECK(may_move(ChainStatus::failed, to) == (to == ChainStatus::running));
    CHECK(may_move(ChainStatus::cancelled, to) == (to == ChainStatus::running));
    CHECK_FALSE(may_move(ChainStatus::succeeded, to));
    CHECK_FALSE(may_move(ChainStatus::quarantined, to));
  }
}

TEST_CASE("a completed visit stays so until a person's retry opens it, and a skipped one until what it depends on is retried") {
  for (std::size_t row = 0; row < kVisitStatusNames.size(); ++row) {
    const auto to = static_cast<VisitStatus>(row);
    CHECK(may_move(VisitStatus::completed, to) == (to == VisitStatus::running || to == VisitStatus::blocked));
    CHECK(may_move(VisitStatus::skipped, to) == (to == VisitStatus::blocked));
  }
}

}  // namespace catena::engine
