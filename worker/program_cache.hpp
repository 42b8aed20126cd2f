#pragma once
// Programs that chains pinned, as files called by their hash. A file is believed only after its content was hashed in this process, and
// again when it has changed since. The directory belongs to this user; several processes may share it.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace catena::worker {

class ProgramCache {
 public:
  /// The directory is made when the first program is stored. Empty: nothing can be stored.
  explicit ProgramCache(std::string directory) : directory_{std::move(directory)} {}

  /// The absolute path of the program with that SHA-256; nothing when it is not there, or damaged (it is removed then).
  [[nodiscard]] std::optional<std::string> find(const std::string& hash);
  /// Where it is now. Errors, retryable: tool_not_started (another content than the hash says; the directory cannot be written).
  [[nodiscard]] Result<std::string> store(const std::string& hash, std::string_view content);

 private:
  /// What a file looked like when its content was right.
  struct Seen {
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  [[nodiscard]] static std::optional<Seen> look(const std::string& path);

  std::string directory_;
  std::map<std::string, Seen> seen_;  // by hash
};

/// 64 lower-case hexadecimal digits: what may become the name of a file.
[[nodiscard]] bool is_sha256(std::string_view text);

}  // namespace catena::worker
