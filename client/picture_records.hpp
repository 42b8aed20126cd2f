#pragma once
// Pictures of a chain as JSON: a part of records.hpp.
#include "base/json.hpp"
#include "coordinator/inspect/picture_questions.hpp"

namespace catena::client {

/// {"nodes": [...], "edges": [...]}
[[nodiscard]] Json to_json(const coordinator::ChainGraph& graph);
/// `root` is the name of the definition that was submitted; a large text is cut, and `bytes` says how large it is.
[[nodiscard]] Json to_json(const coordinator::PinnedTexts& pinned);
[[nodiscard]] Json to_json(const coordinator::Timeline& timeline);
[[nodiscard]] Json to_json(const coordinator::SlowItem& item);
[[nodiscard]] Json to_json(const coordinator::WorkerShare& share);

}  // namespace catena::client
