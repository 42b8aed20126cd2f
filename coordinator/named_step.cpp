#include "coordinator/named_step.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/suggest.hpp"

namespace catena::coordinator {

Result<StepIndex> named_step(const lang::Program& program, const ChainId& chain, const std::string& name) {
  if (const auto step = program.find_step(name)) return *step;
  std::vector<std::string> ids;
  for (const auto& each : program.steps) ids.push_back(each.id);
  return fail(Code::usage, fmt::format("chain '{}' has no step '{}'{}", chain.value, name, did_you_mean(name, ids)));
}

}  // namespace catena::coordinator
