#pragma once
// Names of things that live longer than a process. Each kind is a type of its own, ordered the way we iterate.
#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace catena {

template <class Tag>
struct Name {
  std::string value;
  friend auto operator<=>(const Name&, const Name&) = default;
  [[nodiscard]] bool empty() const { return value.empty(); }
};

/// One run of a program. Children are called parent/step[/index], so the id tells the family. At most 1024 bytes.
using ChainId = Name<struct ChainTag>;
/// A worker, as its configuration names it: the same after a restart.
using WorkerId = Name<struct WorkerTag>;

/// Position of a step in its program.
using StepIndex = std::uint32_t;
/// n-th entry of a step, from 1.
using Visit = std::uint32_t;
/// Position of an item in its fan-out; 0 for a step that is none.
using ItemIndex = std::uint32_t;
/// n-th try of a task, from 1.
using Attempt = std::uint32_t;
/// Which start of a worker: reports of an earlier one are foreign.
using Incarnation = std::uint64_t;
/// Number of a grant within its chain, from 1.
using GrantId = std::uint64_t;
/// Number of an event within its chain's journal, from 1.
using Sequence = std::uint64_t;

/// One entry of one step.
struct VisitId {
  StepIndex step = 0;
  Visit visit = 1;
  friend auto operator<=>(const VisitId&, const VisitId&) = default;
};

}  // namespace catena

template <class Tag>
struct std::hash<catena::Name<Tag>> {
  std::size_t operator()(const catena::Name<Tag>& name) const noexcept { return std::hash<std::string>{}(name.value); }
};
