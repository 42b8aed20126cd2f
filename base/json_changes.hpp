#pragma once
// How two JSON values differ, member by member: what a person reads of a comparison. By RFC 6902, of which nlohmann_json makes the patch.
#include <cstdint>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "base/json.hpp"

namespace catena {

/// Bytes of a value in a change; of a longer one the beginning is told.
inline constexpr std::size_t kChangeTextBytesMax = 500;
/// Changes that are told of one pair of values; the rest is counted.
inline constexpr std::size_t kChangesMax = 100;

/// A member that both have and that is another in each, or that one of them has.
struct JsonChange {
  std::string path = {};    // JSON Pointer (RFC 6901); empty: the whole value
  std::string first = {};   // JSON text, its beginning where it is long; empty: the first has no such member
  std::string second = {};  // the same of the second
};
struct JsonChanges {
  std::vector<JsonChange> changes = {};
  std::uint64_t others = 0;  // that are not told
};

/// Elements of lists are compared by their place. O(size of both).
[[nodiscard]] JsonChanges json_changes(const Json& first, const Json& second);

template <class V>
void fields(V& v, JsonChange& x) {
  v("path", x.path), v("first", x.first), v("second", x.second);
}
template <class V>
void fields(V& v, JsonChanges& x) {
  v("changes", x.changes), v("others", x.others);
}

}  // namespace catena
