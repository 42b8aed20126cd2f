#pragma once
// A chain that ends in one turn, decided without an actor: all that is left of it are steps that compute, and nothing that it evaluates has to be
// read from the store. Its records are those that a coordinator of its own would have written. Of a child that has yet to begin they go into the
// batch in which its parent records its end (docs/adr/0054), of chains that have slept until this turn into one that they share (docs/adr/0055): so
// after a crash either all of a turn is there or nothing, and in the latter case it is computed again.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/records.hpp"
#include "coordinator/resting.hpp"
#include "coordinator/services.hpp"
#include "engine/engine.hpp"
#include "engine/placement.hpp"
#include "lang/package/package.hpp"
#include "storage/feed_store.hpp"

namespace catena::coordinator {

/// A program of chains that may end in one turn, with what each of them needs of it.
struct ShortProgram {
  engine::PreparedProgram prepared;  // its seed is nobody's: a chain with something to try again does not end in this turn
  std::vector<engine::Need> needs;   // by step
};
[[nodiscard]] ShortProgram for_short(const std::shared_ptr<const lang::Program>& program);
/// Null where some step does not compute, or its response is made of its history. `tools` may be null.
[[nodiscard]] std::unique_ptr<const ShortProgram> short_program(const ComputingTools* tools, const std::shared_ptr<const lang::Program>& program);

struct ShortChain {
  const Services& services;
  const lang::Package& package;
  const ShortProgram& program;
  const ChainId& chain;
  storage::Durability durability = storage::Durability::sync;
  std::int32_t priority = 0;
  GrantId grants_after = 0;  // see ChainShell
};
struct ShortEnd {
  engine::ChainStatus status = engine::ChainStatus::succeeded;
  engine::Payload response;
  std::optional<Error> error;
  std::uint16_t computed = 0;  // steps
  std::vector<storage::Notice> notices;
  std::vector<engine::Event> events;
};
/// One that begins. None: it does not end in one turn, or its response is too large for the journal, and nothing of it has happened. Else its records
/// are in those, behind what they had.
[[nodiscard]] std::optional<ShortEnd> run_short(const ShortChain& chain, engine::Start start, Records& records);

/// One that has slept, with what it left. Nobody has granted anything of it.
struct Slept {
  engine::ChainState state;
  const Listed& listed;
  Sequence checkpointed = 0;
  Millis lead{0};  // of the chain's time over the clock
};
/// The same of one whose time has come.
[[nodiscard]] std::optional<ShortEnd> run_last_turn(const ShortChain& chain, Slept slept, Records& records);

/// The step that a branch of a parallel step begins with.
[[nodiscard]] std::optional<StepIndex> branch_of(const engine::Payload& arguments);
/// Whether a chain that is at that event is due for a checkpoint: a reader of its journal folds no more than so many events.
[[nodiscard]] bool checkpoint_due(const Settings& settings, const engine::ChainState& state, Sequence checkpointed);

}  // namespace catena::coordinator
