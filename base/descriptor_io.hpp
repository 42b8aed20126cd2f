#pragma once
// Whole contents through a descriptor: interrupted and short calls are gone on with.
#include <cstddef>
#include <string>
#include <string_view>

namespace catena {

/// Appends what is left to read; 0, or the errno. Of more than `most` bytes only `most` + 1 are read, so that the caller can tell.
[[nodiscard]] int read_all(int descriptor, std::size_t most, std::string& content);
/// 0, or the errno.
[[nodiscard]] int write_all(int descriptor, std::string_view content);

}  // namespace catena
