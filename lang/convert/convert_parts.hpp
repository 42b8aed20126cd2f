#pragma once
// The parts of a converted definition. Internal to lang/convert/convert*.
#include <string>
#include <vector>

#include "lang/convert/convert_values.hpp"

namespace catena::lang::convert {

/// Names of steps as execution ids: of allowed characters, each once.
[[nodiscard]] std::vector<std::string> execution_ids(const Program& program);

/// Sets "arguments" and "additional_arguments".
void put_arguments(const Names& names, Pretty& out, Findings& findings);

/// An instruction with what it calls, its arguments and its settings; `conditions`, `dependencies` and `on_failure` are the caller's.
[[nodiscard]] Pretty instruction_of(const Names& names, StepIndex step, const SourceFinder& finder, Findings& findings);

/// Sets "instructions" and "response_reference_map" of a sequence with jumps.
void put_sequence(Names names, const SourceFinder& finder, Pretty& out, Findings& findings);
/// The same of a graph: a pipeline or a plan.
void put_graph(const Names& names, const SourceFinder& finder, Pretty& out, Findings& findings);

/// "step 'x'"
[[nodiscard]] std::string said(const Step& step);

}  // namespace catena::lang::convert
