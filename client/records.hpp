#pragma once
// What is known of chains, steps, items, events and workers as JSON: the one form of each, for `-o json` of the commands and for the HTTP interface.
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "actors/messages.hpp"
#include "base/json.hpp"
#include "client/questions.hpp"

namespace catena::client {

/// A row of a list. `duration_ms` counts to `now` where the chain has not ended.
[[nodiscard]] Json to_json(const coordinator::ListedChain& chain, UnixMillis now);
/// All that the event says, with its number, time and words.
[[nodiscard]] Json to_json(const coordinator::HistoryEvent& event);
[[nodiscard]] Json to_json(const coordinator::LogRow& row);
[[nodiscard]] Json to_json(const coordinator::FeedRow& row);
[[nodiscard]] Json to_json(const coordinator::AuditRow& row);
/// The address without its query, which may hold a secret.
[[nodiscard]] Json to_json(const storage::Delivery& delivery);
[[nodiscard]] Json to_json(const actors::NodeInfo& node);
[[nodiscard]] Json to_json(const lang::FileVersion& file);
/// A schedule; arguments and context where they are told.
[[nodiscard]] Json to_json(const coordinator::ScheduleRow& row);
/// A step that waits for approval.
[[nodiscard]] Json to_json(const storage::WaitingApproval& row);
/// What was done to one.
[[nodiscard]] Json to_json(const actors::ScheduleDone& done);
/// A file that is a stored definition, as lists tell of it.
[[nodiscard]] Json definition_json(const lang::FileVersion& file);
/// What a definition takes or gives, as `catena tools -o json` tells it.
[[nodiscard]] Json fields_json(const lang::Schema& schema);
[[nodiscard]] Json to_json(const ChainId& chain, const coordinator::RepairPreview& preview);
[[nodiscard]] Json to_json(const ChainId& source, const ChainId& chain, const coordinator::ForkPreview& preview);
/// {"chain_id", "seq"} of a chain that was forked from another.
[[nodiscard]] std::optional<Json> forked_json(const coordinator::ChainDescription& chain);
/// `response` of an item is left out where it is not there as a whole.
[[nodiscard]] Json to_json(const coordinator::ItemRow& row);
[[nodiscard]] Json to_json(const coordinator::SaidOfTask& said);

/// `items` are runs `[first item, number of items]`; `more_items`: not all are named. A long message is cut.
[[nodiscard]] Json to_json(const coordinator::ErrorGroup& group);

/// Since when the chain is paused, by whom and why; `with_parent`: the chain that started it is paused, too. Nothing: it is not paused.
[[nodiscard]] std::optional<Json> paused_json(const coordinator::ChainDescription& chain);

/// How much of a chain is told at once.
struct RecordLimits {
  bool all_steps = true;  // false: the first page of them
  std::size_t response_bytes_max = std::numeric_limits<std::size_t>::max();
  std::uint32_t epoch = 0;  // as the chain was at the end of this one; 0: as it is
};
struct ChainRecord {
  coordinator::ChainDescription chain = {};
  std::string json = {};  // an object: what `run -o json` prints
};
/// chain_id, name, status, parent, labels, paused, response or error or both, steps, started_at, finished_at. What the limits leave out is told by
/// `steps_next`, the number of the first step that is not there, and by `response_bytes`.
[[nodiscard]] Result<ChainRecord> chain_record(Questions& questions, const ChainId& chain, const RecordLimits& limits = {});

}  // namespace catena::client
