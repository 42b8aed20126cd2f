#pragma once
// Plain steps that only compute, and do so quickly: a chain coordinator runs them within its own turn. They reach nothing outside, so their grant and
// their result share one commit: after a crash either both stand in the journal or the step is computed again (docs/adr/0033).
#include <cstdint>
#include <string>

#include "base/ids.hpp"
#include "base/metrics.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "coordinator/records.hpp"
#include "coordinator/values.hpp"
#include "engine/input.hpp"
#include "engine/placement.hpp"
#include "lang/document/json_text.hpp"
#include "lang/program/program.hpp"

namespace catena::coordinator {

/// A grant ends within the turn that it begins in: no node is ever asked for it.
inline constexpr Incarnation kOwnTurn = 1;

/// One attempt of such a step.
struct Computation {
  const lang::ToolCall& tool;
  std::string key;           // see attempt_key()
  lang::JsonText arguments;  // at most limits::kInlineValueBytesMax bytes
  Attempt attempt = 1;
  UnixMillis since = 0;  // when the step began, by the clock of the process
};

struct Computed {
  Result<lang::JsonText> response;
  std::int64_t took_us = 0;
};

/// Tools that reach nothing outside, and whose time is bounded by the size of their arguments: what would have to wait says `postponed`. Called by
/// the actors of all chains at a time.
class ComputingTools {
 public:
  virtual ~ComputingTools() = default;
  [[nodiscard]] virtual bool has(const lang::Endpoint& endpoint) const = 0;
  /// Only of what it has.
  [[nodiscard]] virtual Computed run(const Computation& computation) const = 0;
};

/// Whether a step that is to run now can be computed here: nothing that is not durable yet would have to be read for it, and nobody asked for a
/// certain worker. `tools` may be null.
[[nodiscard]] bool computes_here(const ComputingTools* tools, const lang::Program& program, const engine::ChainState& state, StepIndex step,
                                 const engine::Need& need);

/// A step that computes here, and has just been granted.
struct GrantedHere {
  const ComputingTools& tools;
  Metrics& metrics;
  const ChainId& chain;
  const lang::Program& program;
  const engine::ChainState& state;
  StepIndex step = 0;
  Sources sources;
  Millis lead{0};  // of the chain's time over the clock
};
/// Runs its attempt: what came of it, as a worker would have reported it and a step actor have taken it.
[[nodiscard]] engine::ItemReport compute(const GrantedHere& granted, Records& records);

}  // namespace catena::coordinator
