#pragma once
// Chains by the name of their definition: an index beside those of statuses and labels. Stores have it since catena keeps it on, so each opening for
// writing notes that it is whole, and makes it whole where the opening before has not noted it: an older catena had the store.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// The key of a chain's entry. Entries of one name lie together, later chains first.
[[nodiscard]] std::string name_entry(std::string_view name, UnixMillis started_at, const ChainId& chain);

/// A pattern as fnmatch has it; one without special characters is a name.
[[nodiscard]] bool fits_name(const std::string& pattern, const std::string& name);

/// The prefixes of the entries of all names that may fit the pattern; none: no chain has such a name. Nothing where chains have to be looked at
/// without the index: it is not whole, the pattern is for all names, or it fits more than are read together.
[[nodiscard]] Result<std::optional<std::vector<std::string>>> name_prefixes(const Kv& kv, const std::string& pattern);

/// Whether each chain has its entry.
[[nodiscard]] Result<bool> names_are_indexed(const Kv& kv);

/// In the first batch of an opening for writing: the index stays whole where the opening before left it so, or there was none.
[[nodiscard]] Result<void> keep_names_indexed(const Kv& kv, Batch& opening);

/// Behind that batch, and before anybody else writes: the index is made whole where it is not.
[[nodiscard]] Result<void> index_names(Kv& kv);

}  // namespace catena::storage
