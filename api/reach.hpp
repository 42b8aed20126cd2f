#pragma once
// What a caller reaches who may see one namespace and no other: a namespace is the label `namespace` of chains (base/chain_labels.hpp). Pure.
#include <functional>
#include <string>

#include "api/route.hpp"
#include "base/chain_labels.hpp"

namespace catena::api {

enum class Reach : std::uint8_t {
  cluster,   // what all namespaces share: nothing for such a caller
  anything,  // it tells nothing of anybody
  chain,     // that of its path, where it is of the caller's namespace
  own,       // its handler keeps to the caller's namespace
};
/// What is not known to be anything else is of the cluster.
[[nodiscard]] Reach reach_of(const Route& route);
/// The operations that are told apart by name, for the test that they are routes.
[[nodiscard]] std::span<const std::string_view> named_operations();

/// The labels of a chain. Error: chain_not_found.
using LabelsOf = std::function<Result<ChainLabels>(const ChainId& chain)>;
/// What is said of a chain of another namespace, and of none. Error: chain_not_found.
[[nodiscard]] Error no_chain_of_namespace(const ChainId& chain, const std::string& namespace_);
/// Whether the caller may know of the chain in the path. Error: chain_not_found, the same for a chain of another namespace and for none.
[[nodiscard]] Outcome<void> check_chain_reach(const Asked& asked, const LabelsOf& labels_of);

/// The namespace whose chains are meant: that of the caller, or else `wanted`; empty: all. Error: namespace_refused, for another one than the
/// caller's.
[[nodiscard]] Outcome<std::string> namespace_meant(const std::string& of_caller, const std::string& wanted);

}  // namespace catena::api
