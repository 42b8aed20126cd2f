#pragma once
// The labels of a chain: key and value each, given with its submission and inherited by all that it starts. Chains are found by them. A
// worker has labels of its own, which say what it offers (actors/worker_offer.hpp).
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena {

using ChainLabels = std::map<std::string, std::string>;

inline constexpr std::size_t kChainLabelsMax = 16;
inline constexpr std::size_t kLabelKeyBytesMax = 63;
inline constexpr std::size_t kLabelValueBytesMax = 128;

/// At most kChainLabelsMax. A key has letters, digits and . _ - / and begins with a letter; a value the same, and : @ +, in any order. Neither is
/// empty. Error: field_value.
[[nodiscard]] Result<void> check_chain_labels(const ChainLabels& labels);
[[nodiscard]] Result<void> check_label_key(std::string_view key);

/// The namespace of a chain is its label with this key: inherited by all that it starts, and in the index as every label is.
inline constexpr std::string_view kNamespaceLabel = "namespace";
/// A namespace is a value that a label can have. Error: field_value.
[[nodiscard]] Result<void> check_namespace(std::string_view name);
/// Empty: the chain has none.
[[nodiscard]] std::string namespace_of(const ChainLabels& labels);

/// Which values are meant: one, or all that fit a pattern with `*` and `?`.
[[nodiscard]] bool is_label_pattern(std::string_view value);
/// Whether a chain has all labels that are wanted: key to value or pattern.
[[nodiscard]] bool has_labels(const ChainLabels& labels, const std::map<std::string, std::string>& wanted);

}  // namespace catena
