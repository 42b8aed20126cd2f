#pragma once
// The files that a tool is shipped with, in one content: a folder of the client, as workers unpack it. Pure: who reads and writes files is
// elsewhere.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace catena::lang {

inline constexpr std::size_t kBundleFilesMax = 10'000;

struct BundleFile {
  std::string path;  // relative to the folder, with '/' between its parts
  bool executable = false;
  std::string content;
  friend bool operator==(const BundleFile&, const BundleFile&) = default;
};

/// The same bytes for the same files, in whatever order they come.
[[nodiscard]] std::string pack_bundle(std::vector<BundleFile> files);

/// Error: storage_corrupt, where the bytes are no bundle, or a path of it leads out of its folder or through another file.
[[nodiscard]] Result<std::vector<BundleFile>> unpack_bundle(std::string_view bytes);

}  // namespace catena::lang
