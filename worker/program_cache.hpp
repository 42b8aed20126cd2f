#pragma once
// Programs that chains pinned, as files called by their hash. A file is believed only after its content was hashed in this process, and
// again when it has changed since. The directory belongs to this user; several processes may share it.
//
// What find() and store() answer is locked (flock, shared) until release(): no process removes it to make room. Files that nobody holds
// go, the longest unused first, when a program is stored and the directory would grow beyond its bound.
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace catena::worker {

/// Who may read and execute the programs besides this user, if the directories above let them.
enum class ProgramReaders { owner, everybody };

class ProgramCache {
 public:
  /// The directory is made when the first program is stored; empty: nothing can be stored. What killed processes left half written there
  /// is removed. `bytes_max` of all programs, 0: without bound; what is in use may be more.
  explicit ProgramCache(std::string directory, std::uint64_t bytes_max = 0, ProgramReaders readers = ProgramReaders::owner);

  /// The absolute path of the program with that SHA-256; nothing when it is not there, or damaged (it is removed then).
  [[nodiscard]] std::optional<std::string> find(const std::string& hash);
  /// Where it is now. Errors, retryable: tool_not_started (another content than the hash says; the directory cannot be written).
  [[nodiscard]] Result<std::string> store(const std::string& hash, std::string_view content);
  /// The folder into which the bundle with that SHA-256, which is here, is unpacked; nobody writes to its files. Errors, retryable: tool_not_started
  /// (it is damaged, or cannot be unpacked).
  [[nodiscard]] Result<std::string> unpacked(const std::string& hash);
  /// Nobody here needs its path any more.
  void release(const std::string& hash) { locks_.erase(hash); }

 private:
  /// What a file looked like when its content was right.
  struct Seen {
    std::uint64_t inode = 0;
    std::int64_t size = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  struct Lock {
    std::uint64_t inode = 0;
    Fd file;
  };
  [[nodiscard]] static std::optional<Seen> look(const std::string& path);
  [[nodiscard]] bool lock(const std::string& hash, const std::string& path, const Seen& seen);
  void remove_leftovers() const;
  void make_room(std::uint64_t bytes, const std::string& hash);

  std::string directory_;
  std::uint64_t bytes_max_;
  ::mode_t mode_;
  std::map<std::string, Seen> seen_;   // by hash
  std::map<std::string, Lock> locks_;  // the same
  std::set<std::string> unpacked_;     // bundles whose folders were looked at in this process
};

/// 64 lower-case hexadecimal digits: what may become the name of a file.
[[nodiscard]] bool is_sha256(std::string_view text);

}  // namespace catena::worker
