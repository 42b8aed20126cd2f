#pragma once
// Fresh orders that wait for a program which this worker lacks, and what this link was asked for. Pure.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/protocol.hpp"

namespace catena::worker {

class ProgramWaits {
 public:
  /// True: its program is to be fetched. False: that was asked for already.
  [[nodiscard]] bool add(actors::WorkOrder order);
  /// A link begins, which was asked for nothing: all programs to be fetched.
  [[nodiscard]] std::vector<std::string> begin_link();
  struct Come {
    bool asked = false;                     // over this link
    std::vector<actors::WorkOrder> orders;  // that waited for it
  };
  [[nodiscard]] Come come(const std::string& hash);
  /// What waited of that order waits no more.
  [[nodiscard]] std::vector<actors::WorkOrder> take(const std::string& chain, GrantId grant);
  void clear() { orders_.clear(); }

 private:
  std::map<std::string, std::vector<actors::WorkOrder>> orders_;  // by hash of the program
  std::set<std::string> asked_;                                   // hashes that this link owes
};

}  // namespace catena::worker
