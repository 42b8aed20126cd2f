#pragma once
// What the values of a step read of the chain's state: for those who have to know before it is evaluated.
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lang/program/program.hpp"

namespace catena::lang {

inline constexpr std::string_view kWholeState = "state";  // the name of all variables, as an object

struct StateUse {
  std::optional<std::string> name;  // nothing: the whole state, or whatever a text names that comes at run time
  Place where;
  bool in_write = false;   // of a value that a step sets, where `response` may be the step's own
  bool handed_on = false;  // to a program that is part of this one; what reads it there is a use of its own
};
using StateUseVisitor = std::function<void(const StateUse&)>;

/// Of everything that the step evaluates: conditions, arguments, lists, writes.
void for_each_state_use(const Step& step, const StateUseVisitor& visit);

struct StateNames {
  std::set<std::string, std::less<>> names;
  bool all = false;
};
/// What the steps of a program read, with what they hand on.
[[nodiscard]] StateNames state_read_by(const Program& program);

}  // namespace catena::lang
