#pragma once
// Bringing a local tree into the file store: what `catena fs sync` does.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "client/questions.hpp"
#include "lang/file/file_port.hpp"

namespace catena::cli {

struct SyncOptions {
  std::string directory;  // local
  std::string prefix;     // in the store
  bool remove = false;    // what the store has below the prefix and the tree has not
};

struct SyncCounts {
  std::uint64_t added = 0;
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t removed = 0;
  std::vector<std::string> skipped;  // no regular files, or links that lead out of the tree
};

/// Looks at the whole tree first: a file that cannot be read, is too large or has a name that cannot be a path refuses the sync before
/// anything is written. Errors: file_unreadable, file_too_large, file_path_invalid (each names the file), and those of the store.
[[nodiscard]] Result<SyncCounts> sync_tree(const SyncOptions& options, client::Questions& questions, lang::FileStore& files);

}  // namespace catena::cli
