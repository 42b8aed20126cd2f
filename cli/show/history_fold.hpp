#pragma once
// Events of a history as lines. Those of fan-outs are folded: what follows each other about items of the same steps is a line a step. Pure.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "coordinator/inspect/questions.hpp"

namespace catena::cli {

/// "    12  2026-11-21T14:00:00.000Z  step resize entered"
[[nodiscard]] std::string event_line(const coordinator::HistoryEvent& event);

class HistoryFold {
 public:
  using Print = std::function<void(const std::string& line)>;
  explicit HistoryFold(Print print) : print_{std::move(print)} {}

  void take(const coordinator::HistoryEvent& event);
  /// Prints what is folded so far.
  void flush();

 private:
  struct Group {
    coordinator::HistoryEvent first = {};
    std::uint64_t events = 0;
    UnixMillis last_at = 0;
    std::uint64_t grants = 0;
    std::set<std::string> workers = {};
    std::uint64_t responded = 0;  // items
    std::uint64_t failed = 0;     // for good
    std::uint64_t ended = 0;      // attempts that settled nothing
    std::string problem = {};     // the first
  };
  [[nodiscard]] static std::string line_of(const Group& group);

  Print print_;
  std::map<std::pair<std::string, Visit>, Group> groups_;
};

}  // namespace catena::cli
