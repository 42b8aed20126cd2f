#pragma once
// Files of this machine as `catena fs` reads and writes them.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/ownership.hpp"
#include "base/result.hpp"

namespace catena::cli {

struct LocalFile {
  std::string content;
  Ownership names;
};
/// A file of at most `most` bytes; "-" is standard input. Errors: file_unreadable, file_too_large; both name the file.
[[nodiscard]] Result<LocalFile> read_local_file(const std::string& file, std::size_t most);

/// A file that is written piece by piece beside its place and stands there, whole, when finish() has answered; without that nothing is left
/// of it. What is there and no regular file (a device, a pipe) is written to as it is. Errors: storage_io.
class NewLocalFile {
 public:
  [[nodiscard]] static Result<NewLocalFile> open(const std::string& file);
  NewLocalFile(NewLocalFile&& other) noexcept;
  NewLocalFile& operator=(NewLocalFile&&) = delete;
  ~NewLocalFile();

  [[nodiscard]] Result<void> write(std::string_view piece);
  [[nodiscard]] Result<void> finish();

 private:
  NewLocalFile(std::string file, std::string beside, Fd descriptor);

  std::string file_;
  std::string beside_;  // empty: written in place, or finished
  Fd descriptor_;
};

}  // namespace catena::cli
