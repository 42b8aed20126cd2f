#include "coordinator/amending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/limits.hpp"
#include "coordinator/named_step.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kAttemptsMost = 1'000'000;
constexpr std::uint32_t kWholeMilli = 100'000;
constexpr std::int64_t kTimeoutMostMs = std::int64_t{366} * 24 * 3'600'000;

Result<void> refuse(std::string words) { return fail(Code::field_value, std::move(words)); }

/// What no step could do with.
Result<void> check_values(const engine::Amend& amend) {
  const auto& terms = amend.terms;
  if (terms.empty() && !amend.priority)
    return refuse("nothing is to be amended: name a priority, a concurrency, a tolerance, a timeout or a number of attempts");
  if (terms.window && *terms.window > limits::kFanOutWidthMax) return refuse(fmt::format("max_concurrency must be 0 to {}", limits::kFanOutWidthMax));
  if (terms.tolerated && terms.tolerated_milli) return refuse("how many items may fail is a number or a percentage, and not both");
  if (terms.tolerated_milli && *terms.tolerated_milli > kWholeMilli) return refuse("a tolerated percentage must be 0 to 100");
  if (terms.timeout_ms && (*terms.timeout_ms < 0 || *terms.timeout_ms > kTimeoutMostMs)) return refuse("a timeout must be 0 to 366 days");
  if (terms.attempts && (*terms.attempts == 0 || *terms.attempts > kAttemptsMost))
    return refuse(fmt::format("the number of attempts must be 1 to {}", kAttemptsMost));
  if (amend.priority && std::abs(*amend.priority) > engine::kPriorityMax)
    return refuse(fmt::format("a priority must be {} to {}", -engine::kPriorityMax, engine::kPriorityMax));
  return {};
}

}  // namespace

Result<engine::Amend> amend_of(const actors::Control& control, const ChainId& chain, const lang::Program& program) {
  auto amend = std::get<engine::Amend>(control.what);
  amend.reason = control.reason;
  if (auto sound = check_values(amend); !sound) return fail(std::move(sound).error());
  const bool of_lists = amend.terms.window || amend.terms.tolerates();
  const auto fans_out = [](const lang::Step& step) { return step.each.has_value(); };
  if (control.step.empty()) {
    if (of_lists && std::ranges::none_of(program.steps, fans_out))
      return fail(Code::field_value, fmt::format("no step of chain '{}' is a fan-out: it has no concurrency and tolerates nothing", chain.value));
    return amend;
  }
  const auto step = named_step(program, chain, control.step);
  if (!step) return fail(step.error());
  amend.only = *step;
  if (amend.priority) return fail(Code::field_value, "a priority is of the whole chain: amend it without naming a step");
  if (of_lists && !fans_out(program.steps[*step]))
    return fail(Code::field_value, fmt::format("step '{}' is no fan-out: it has no concurrency and tolerates nothing", control.step));
  if (amend.terms.window && program.steps[*step].each->carries)
    return fail(Code::field_value, fmt::format("the rounds of step '{}' go on from one another: one runs at a time", control.step));
  return amend;
}

}  // namespace catena::coordinator
