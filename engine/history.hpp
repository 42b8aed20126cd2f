#pragma once
// What a chain's journal tells of its steps, attempt by attempt: for people, and for the response of a sequence.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "engine/event.hpp"

namespace catena::engine {

enum class Tried : std::uint8_t { success, failed, lost, cancelled, skipped };
[[nodiscard]] std::string_view name(Tried tried);

/// One attempt of a plain step; of a fan-out all of it, whatever became of its items.
struct HistoryEntry {
  VisitId visit;
  Attempt attempt = 1;
  Tried status = Tried::success;
  Payload response;
  std::optional<Error> error;
  std::uint32_t width = 0;  // of a fan-out: its items
  std::uint32_t ok = 0;     // of them
  bool fan_out = false;
  bool settles = false;  // nothing more was tried in this visit
  UnixMillis at = 0;     // when it ended
};

/// Folds events into entries. O(events); what is kept is the entries.
class History {
 public:
  void add(const Event& event);
  [[nodiscard]] const std::vector<HistoryEntry>& entries() const { return entries_; }
  /// What became of each visit, in the order in which they settled. A visit that a person's retry reopened counts as what it became then.
  [[nodiscard]] std::vector<const HistoryEntry*> outcomes() const;

 private:
  void add_ended(const AttemptsEnded& ended);
  void add_items(const ItemsSettled& items);
  void add_settled(const VisitSettled& settled);
  struct Open {
    Attempt ended = 0;  // attempts
    bool fan_out = false;
    bool told = false;  // the entry of the attempt that settled it is there
    std::uint32_t width = 0;
    std::uint32_t ok = 0;
  };
  HistoryEntry& add(const VisitId& visit, Tried status, UnixMillis at);

  std::map<VisitId, Open> open_;
  std::vector<HistoryEntry> entries_;
};

}  // namespace catena::engine
