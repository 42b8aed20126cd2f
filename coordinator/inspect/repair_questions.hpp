#pragma once
// What a retry would do to a chain, before anything is done.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/repair_wish.hpp"
#include "base/codec.hpp"
#include "base/ids.hpp"

namespace catena::coordinator {

enum class RepairAction : std::uint8_t {
  stays,     // its result
  runs,      // what it has no result of, in the visit that it is in
  compared,  // it is evaluated again; results of the same arguments stay
  anew,      // all of it
  waits,     // it has not run yet, and runs in its turn
};
[[nodiscard]] constexpr std::uint32_t count_of(RepairAction) { return static_cast<std::uint32_t>(RepairAction::waits) + 1; }

enum class RepairCause : std::uint8_t { none, failed, cancelled, asked, behind, tool, arguments, nested, added, last };
[[nodiscard]] constexpr std::uint32_t count_of(RepairCause) { return static_cast<std::uint32_t>(RepairCause::last) + 1; }

struct RepairRow {
  std::string step = {};
  RepairAction action = RepairAction::stays;
  RepairCause cause = RepairCause::none;
  std::string behind = {};  // the step that it is behind
  bool fan_out = false;
  std::uint32_t items = 0;  // that run, of a fan-out; at most, where they are compared
  std::uint32_t width = 0;  // of its list as it was
  bool entered = false;     // false: it came to an end when it was evaluated, before its tool was called
};
struct RepairPreview {
  static constexpr std::string_view kKind = "repair";
  std::vector<RepairRow> steps = {};
  bool other_package = false;  // the chain is to go on with other definitions or programs than it has
};
/// Errors: those of a retry.
struct PreviewRepair {
  using Answer = RepairPreview;
  static constexpr std::string_view kKind = "preview_repair";
  ChainId chain = {};
  actors::RepairWish wish = {};
  std::string manifest = {};  // of the package that it is to go on with; empty: the one that it has
};

template <class V>
void fields(V& v, RepairRow& x) {
  v("step", x.step), v("action", x.action), v("cause", x.cause), v("behind", x.behind), v("fan_out", x.fan_out), v("items", x.items),
      v("width", x.width), v("entered", x.entered);
}
template <class V>
void fields(V& v, RepairPreview& x) {
  v("steps", x.steps), v("other_package", x.other_package);
}
template <class V>
void fields(V& v, PreviewRepair& x) {
  v("chain", x.chain), v("wish", x.wish), v("manifest", x.manifest);
}

}  // namespace catena::coordinator
