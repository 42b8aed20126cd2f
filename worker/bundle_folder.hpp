#pragma once
// The files of a bundle, unpacked into a folder where nobody writes to them.
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::worker {

/// Who may read the files and run those that can be run, besides this user.
enum class BundleReaders { owner, everybody };

/// Afterwards `folder` has the files of the bundle with these bytes, as they were packed; one that has them already stays as it is. It appears whole
/// or not at all; several processes may do this at a time. `aside`: what the name of an unfinished folder beside it begins with. Errors:
/// storage_corrupt, where the bytes are no bundle; file_unreadable, where they cannot be written, with the errno in its details.
[[nodiscard]] Result<void> unpack_into(const std::string& folder, std::string_view bytes, std::string_view aside, BundleReaders readers);

/// Also where folders in it cannot be written to.
void remove_bundle_folder(const std::string& folder);

/// Removes an unfinished folder, unless a process is at work in it.
void remove_unfinished(const std::string& folder);

}  // namespace catena::worker
