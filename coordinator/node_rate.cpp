#include "coordinator/node_rate.hpp"

#include <algorithm>

#include "actors/messages.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint64_t kMilliPerMs = 1'000'000;       // attempts a millisecond are thousandths a second times this
constexpr std::uint64_t kFormer = 3;                   // weight of what was known in the moving mean, the newest counts once
constexpr std::uint64_t kFinishedMax = 1'000'000'000;  // between two heartbeats: no worker ends more, and the product fits

}  // namespace

void NodeRate::record(std::uint64_t finished, UnixMillis at) {
  if (finished == actors::kFinishedUnknown) return last_.reset();
  const auto before = last_;
  last_ = {finished, at};
  if (!before || at <= before->at || finished < before->finished) return;
  const auto newest = std::min(finished - before->finished, kFinishedMax) * kMilliPerMs / static_cast<std::uint64_t>(at - before->at);
  milli_ = (kFormer * milli_ + newest) / (kFormer + 1);
}

}  // namespace catena::coordinator
