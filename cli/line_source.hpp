#pragma once
// Lines of a file or of standard input, as they come: nobody waits for them, and one line is all that is kept.
#include <cstddef>
#include <optional>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace catena::cli {

struct SourceLine {
  std::size_t number = 0;  // from 1
  std::string text = {};
  bool too_long = false;  // what it says was not kept
};

class LineSource {
 public:
  /// `-`: standard input. Error: file_unreadable.
  [[nodiscard]] static Result<LineSource> open(const std::string& file, std::size_t line_bytes_max);

  /// The next line; nothing: none is there at the moment, or none comes any more. Error: file_unreadable.
  [[nodiscard]] Result<std::optional<SourceLine>> next();
  [[nodiscard]] bool over() const { return ended_ && begin_ == buffer_.size() && !skipping_; }

 private:
  LineSource(std::string name, Fd owned, int descriptor, std::size_t line_bytes_max)
      : name_{std::move(name)}, owned_{std::move(owned)}, descriptor_{descriptor}, line_bytes_max_{line_bytes_max} {}
  /// False: nothing can be read at the moment.
  [[nodiscard]] Result<bool> read_more();
  [[nodiscard]] SourceLine cut(std::size_t end);

  std::string name_;
  Fd owned_;
  int descriptor_;
  std::size_t line_bytes_max_;
  std::string buffer_;
  std::size_t begin_ = 0;      // of the next line
  std::size_t looked_at_ = 0;  // up to here there is no end of it
  std::size_t number_ = 0;
  bool skipping_ = false;  // the line at hand is too long
  bool ended_ = false;
};

}  // namespace catena::cli
