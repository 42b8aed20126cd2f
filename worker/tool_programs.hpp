#pragma once
// Programs that a worker has already: the files under its tool roots, by their SHA-256. What a chain pinned is taken from there if its
// content is the same, and not fetched.
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace catena::worker {

class ToolPrograms {
 public:
  /// Reads every file there, as it is now: regular ones of at most lang::kProgramBytesMax, through no symbolic link (one that stays within
  /// its root names a file that is found anyway). Stops at `files_max` files; what cannot be read is passed over.
  explicit ToolPrograms(const std::vector<std::string>& roots, std::size_t files_max = kFilesMax);

  /// The content with that hash, read and hashed anew; nothing when there is none, or the file has changed.
  [[nodiscard]] std::optional<std::string> content(const std::string& hash) const;
  [[nodiscard]] std::size_t size() const { return paths_.size(); }
  /// False: there were more files than are looked at.
  [[nodiscard]] bool complete() const { return complete_; }

  static constexpr std::size_t kFilesMax = 10'000;

 private:
  std::map<std::string, std::string> paths_;  // by hash
  bool complete_ = true;
};

}  // namespace catena::worker
