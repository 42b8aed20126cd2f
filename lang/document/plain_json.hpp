#pragma once
// Most of what tools answer is small, compact and plain. Such a text is known to be valid at a tenth of what the reader of all JSON takes; of any
// other this says nothing. Internal to lang/.
#include <string_view>

namespace catena::lang {

/// True: read_json has nothing against the text, and no white space stands between its tokens. False: that is not known. Plain are ASCII without
/// escapes, numbers of up to 17 digits without an exponent, up to 32 levels, up to 32 keys in the objects that are open at a time. O(n), but for
/// objects of many keys; no memory.
[[nodiscard]] bool is_plain_json(std::string_view text);

}  // namespace catena::lang
