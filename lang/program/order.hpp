#pragma once
// Order among the steps of a graph: a step may not wait, over whatever detour, for itself.
#include <vector>

#include "lang/program/program.hpp"
#include "lang/program/report.hpp"

namespace catena::lang {

/// Cycles among the steps that wait for each other, each beginning with its first step in the document; no two share a step. O(steps +
/// gates).
[[nodiscard]] std::vector<std::vector<StepIndex>> cycles(const std::vector<Step>& steps);

/// dependency_cycle for each, spelled out: "a -> b -> a", where a waits for b.
void report_cycles(const std::vector<Step>& steps, Report& report);

/// dependency_cycle for each step that depends on a final one and is none.
void report_waits_for_final(const std::vector<Step>& steps, Report& report);

}  // namespace catena::lang
