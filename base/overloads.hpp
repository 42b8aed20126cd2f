#pragma once
// To look at a variant so that a new alternative breaks the build wherever it has to be handled: one overload for each alternative, and for those
// that change nothing one that names them.
//
//     std::visit(Overloads{[&](const Run& run) { … }, [&](const OneOf<Stop, Wake> auto&) {}}, effect);
#include <concepts>

namespace catena {

template <class... Functions>
struct Overloads : Functions... {
  using Functions::operator()...;
};
// Compilers before clang 17 need to be told.
template <class... Functions>
Overloads(Functions...) -> Overloads<Functions...>;

template <class Type, class... Types>
concept OneOf = (std::same_as<Type, Types> || ...);

}  // namespace catena
