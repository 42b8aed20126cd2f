#pragma once
// Names of things that live longer than a process. Each kind is a type of its own, ordered the way we iterate.
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <string>

#include <fmt/core.h>

namespace catena {

template <class Tag>
struct Name {
  std::string value;
  friend auto operator<=>(const Name&, const Name&) = default;
  [[nodiscard]] bool empty() const { return value.empty(); }
};

/// A count of things of one kind. It comes from any integer, becomes one only when asked, and never another kind of number.
template <class Tag>
struct Number {
  std::uint64_t value = 0;
  constexpr Number() = default;
  template <std::integral I>
  constexpr Number(I from) : value{static_cast<std::uint64_t>(from)} {}  // NOLINT: a literal is a number of whatever kind is wanted
  friend constexpr auto operator<=>(const Number&, const Number&) = default;
  constexpr Number& operator++() {
    ++value;
    return *this;
  }
  constexpr Number operator++(int) { return value++; }
  friend constexpr Number operator+(Number number, std::uint64_t more) { return number.value + more; }
  friend constexpr Number operator-(Number number, std::uint64_t less) { return number.value - less; }
  friend constexpr std::uint64_t operator-(Number number, Number from) { return number.value - from.value; }
  template <class J>
  friend void to_json(J& json, const Number& number) {
    json = number.value;
  }
  template <class J>
  friend void from_json(const J& json, Number& number) {
    number.value = json.template get<std::uint64_t>();
  }
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
using Incarnation = Number<struct IncarnationTag>;
/// Number of a grant within its chain, from 1.
using GrantId = Number<struct GrantTag>;
/// Number of an event within its chain's journal, from 1.
using Sequence = Number<struct SequenceTag>;

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

template <class Tag>
struct std::hash<catena::Number<Tag>> {
  std::size_t operator()(const catena::Number<Tag>& number) const noexcept { return std::hash<std::uint64_t>{}(number.value); }
};

template <class Tag>
struct fmt::formatter<catena::Number<Tag>> : fmt::formatter<std::uint64_t> {
  template <class Context>
  auto format(const catena::Number<Tag>& number, Context& context) const {
    return fmt::formatter<std::uint64_t>::format(number.value, context);
  }
};
