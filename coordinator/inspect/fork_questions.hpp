#pragma once
// What a fork would share and run, before anything is done.
#include <cstdint>
#include <string_view>
#include <vector>

#include "actors/fork_wish.hpp"
#include "base/codec.hpp"
#include "base/ids.hpp"
#include "coordinator/inspect/repair_questions.hpp"

namespace catena::coordinator {

struct ForkPreview {
  static constexpr std::string_view kKind = "fork_preview";
  Sequence shared = 0;                // the last event of the chain's history that the fork has, too
  std::vector<RepairRow> steps = {};  // as of a retry; what has been begun and has no result yet runs
};
/// Errors: those of a fork.
struct PreviewFork {
  using Answer = ForkPreview;
  static constexpr std::string_view kKind = "preview_fork";
  ChainId chain = {};
  actors::ForkWish wish = {};
};

template <class V>
void fields(V& v, ForkPreview& x) {
  v("shared", x.shared), v("steps", x.steps);
}
template <class V>
void fields(V& v, PreviewFork& x) {
  v("chain", x.chain), v("wish", x.wish);
}

}  // namespace catena::coordinator
