#pragma once
// Small files of keys, certificates and tokens: read whole, without ever waiting; written whole, never over another.
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::link {

constexpr std::size_t kTrustFileBytesMax = 1UL << 20U;

/// Errors: file_unreadable, with the file's name (also for what is no regular file).
[[nodiscard]] Result<std::string> read_trust_file(const std::string& file);

/// Changes whenever the file does: which file it is, its size and times; "-" when there is none.
[[nodiscard]] std::string file_stamp(const std::string& file);
/// When the file or its rights changed last, in milliseconds since the Unix epoch; 0 when there is none.
[[nodiscard]] std::int64_t file_changed_at(const std::string& file);

enum class Secrecy { open, secret };
/// Stands there, whole and synced, with mode 0644 or 0600; or nothing does. Errors: usage when something is there, storage_io.
[[nodiscard]] Result<void> write_new_file(const std::filesystem::path& file, std::string_view content, Secrecy secrecy);

}  // namespace catena::link
