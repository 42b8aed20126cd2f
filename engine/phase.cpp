#include "engine/phase.hpp"

#include <algorithm>

namespace catena::engine {
namespace {

template <class Status, class Names>
std::optional<Status> named(const Names& names, std::string_view wanted) {
  const auto row = std::ranges::find(names, wanted);
  if (row == names.end()) return std::nullopt;
  return static_cast<Status>(row - names.begin());
}

}  // namespace

std::optional<ChainStatus> chain_status_named(std::string_view wanted) { return named<ChainStatus>(kChainStatusNames, wanted); }
std::optional<VisitStatus> visit_status_named(std::string_view wanted) { return named<VisitStatus>(kVisitStatusNames, wanted); }

}  // namespace catena::engine
