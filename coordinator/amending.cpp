#include "coordinator/amending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/limits.hpp"
#include "coordinator/named_step.hpp"
#include "coordinator/wrong_member.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kAttemptsMost = 1'000'000;
constexpr std::uint32_t kWholeMilli = 100'000;
constexpr std::int64_t kTimeoutMostMs = std::int64_t{366} * 24 * 3'600'000;

Result<void> refuse(std::string_view member, std::string words) { return fail(of_member(member, make_error(Code::field_value, std::move(words)))); }

/// What no step could do with.
Result<void> check_values(const engine::Amend& amend) {
  const auto& terms = amend.terms;
  if (terms.empty() && !amend.priority && !amend.deadline)
    return fail(Code::field_value,
                "nothing is to be amended: name a priority, a deadline, a concurrency, a tolerance, a timeout or a number of attempts");
  if (terms.window && *terms.window > limits::kFanOutWidthMax)
    return refuse("max_concurrency", fmt::format("max_concurrency must be 0 to {}", limits::kFanOutWidthMax));
  if (terms.tolerated && terms.tolerated_milli) return refuse("tolerate", "how many items may fail is a number or a percentage, and not both");
  if (terms.tolerated_milli && *terms.tolerated_milli > kWholeMilli) return refuse("tolerate", "a tolerated percentage must be 0 to 100");
  if (terms.timeout_ms && (*terms.timeout_ms < 0 || *terms.timeout_ms > kTimeoutMostMs)) return refuse("timeout", "a timeout must be 0 to 366 days");
  if (terms.attempts && (*terms.attempts == 0 || *terms.attempts > kAttemptsMost))
    return refuse("retry_attempts", fmt::format("the number of attempts must be 1 to {}", kAttemptsMost));
  if (amend.priority && std::abs(*amend.priority) > engine::kPriorityMax)
    return refuse("priority", fmt::format("a priority must be {} to {}", -engine::kPriorityMax, engine::kPriorityMax));
  return {};
}

Result<void> check_deadline(const engine::Amend& amend, const ChainId& chain, const engine::ChainState& state) {
  if (!amend.deadline) return {};
  const auto no = [](std::string words) { return fail(of_member("deadline", make_error(Code::chain_state, std::move(words)))); };
  if (!state.parent.empty())
    return no(fmt::format("chain '{0}' has no deadline of its own, but that of chain '{1}', which started it: amend that one", chain.value,
                          state.parent.value));
  if (state.cancelling) return no(fmt::format("chain '{}' is being cancelled: a deadline changes nothing any more", chain.value));
  return {};
}

bool fans_out(const lang::Step& step) { return step.each.has_value(); }
bool makes_attempts(const lang::Step& step) { return lang::signal_of(step) == nullptr; }

/// The first of these terms that only a fan-out has a use for; empty: none.
std::string_view of_lists(const engine::Terms& terms) { return terms.window ? "max_concurrency" : terms.tolerates() ? "tolerate" : ""; }
/// Of those that only a step has a use for that makes attempts.
std::string_view of_attempts(const engine::Terms& terms) { return terms.timeout_ms ? "timeout" : terms.attempts ? "retry_attempts" : ""; }

constexpr std::string_view kNoAttempts = "no attempts: timeout and attempts are of these. `catena amend ID --deadline` bounds the whole chain";

Result<void> check_all(const engine::Terms& terms, const ChainId& chain, const lang::Program& program) {
  if (const auto member = of_lists(terms); !member.empty() && std::ranges::none_of(program.steps, fans_out))
    return refuse(member, fmt::format("no step of chain '{}' is a fan-out: it has no concurrency and tolerates nothing", chain.value));
  if (const auto member = of_attempts(terms); !member.empty() && std::ranges::none_of(program.steps, makes_attempts))
    return refuse(member, fmt::format("the steps of chain '{}' wait for signals, and make {}", chain.value, kNoAttempts));
  return {};
}

Result<void> check_one(const engine::Terms& terms, const std::string& name, const lang::Step& step) {
  if (const auto member = of_lists(terms); !member.empty() && !fans_out(step))
    return refuse(member, fmt::format("step '{}' is no fan-out: it has no concurrency and tolerates nothing", name));
  if (const auto member = of_attempts(terms); !member.empty() && !makes_attempts(step))
    return refuse(member, fmt::format("step '{}' waits for a signal, and makes {}", name, kNoAttempts));
  if (terms.window && step.each->carries)
    return refuse("max_concurrency", fmt::format("the rounds of step '{}' go on from one another: one runs at a time", name));
  return {};
}

}  // namespace

Result<engine::Amend> amend_of(const actors::Control& control, const ChainId& chain, const lang::Program& program, const engine::ChainState& state) {
  auto amend = std::get<engine::Amend>(control.what);
  amend.reason = control.reason;
  if (auto sound = check_values(amend); !sound) return fail(std::move(sound).error());
  if (control.step.empty()) {
    if (auto used = check_all(amend.terms, chain, program); !used) return fail(std::move(used).error());
    if (auto may = check_deadline(amend, chain, state); !may) return fail(std::move(may).error());
    return amend;
  }
  const auto step = named_step(program, chain, control.step);
  if (!step) return fail(of_member("step", step.error()));
  amend.only = *step;
  const std::string_view of_chain = amend.priority ? "priority" : amend.deadline ? "deadline" : "";
  if (!of_chain.empty())
    return fail(
        of_member(of_chain, make_error(Code::field_value, fmt::format("a {} is of the whole chain: amend it without naming a step", of_chain))));
  if (auto used = check_one(amend.terms, control.step, program.steps[*step]); !used) return fail(std::move(used).error());
  return amend;
}

}  // namespace catena::coordinator
