#pragma once
// What a person wants to have run again of a chain that failed or was cancelled, in the names that people use.
#include <map>
#include <string>
#include <vector>

#include "base/index_set.hpp"

namespace catena::actors {

/// Besides what failed or was cut off. Results whose tool, arguments and definition are unchanged stay.
struct RepairWish {
  bool only_failed = false;                    // changed tools and definitions are no reason; failures that were tolerated are one
  std::vector<std::string> from = {};          // these steps and all behind them, whatever they have
  std::map<std::string, IndexSet> items = {};  // by step: of it these items too, whatever they have
  std::string where = {};                      // an expression: of failed items those for which it holds; other failures of fan-outs stand
};

template <class V>
void fields(V& v, RepairWish& x) {
  v("only_failed", x.only_failed), v("steps", x.from), v("items", x.items), v("where", x.where);
}

}  // namespace catena::actors
