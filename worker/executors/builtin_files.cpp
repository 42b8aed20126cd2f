// Builtins that look at files: file_lines, word_count, list_files. Relative paths start at the working directory of catena.
#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/fd.hpp"
#include "worker/executors/arguments.hpp"
#include "worker/executors/builtin_functions.hpp"
#include "worker/utf8.hpp"

namespace catena::worker::builtin {
namespace {

Error unreadable(const Arguments& arguments, std::string_view argument, std::string_view path, std::string_view why) {
  return arguments.error(Code::file_unreadable, argument, fmt::format("names '{}', which cannot be read: {}", path, why));
}

/// Calls for each piece of a regular file. Devices and pipes are refused: they may never end.
template <class Piece>
Result<void> read_file(const Arguments& arguments, const std::string& path, const StopToken& stop, Piece&& piece) {
  if (path.find('\0') != std::string::npos) return fail(arguments.error(Code::field_value, "path", "contains a NUL character"));
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.is_open()) return fail(unreadable(arguments, "path", path, std::strerror(errno)));
  struct ::stat status {};
  if (::fstat(file.get(), &status) != 0) return fail(unreadable(arguments, "path", path, std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return fail(unreadable(arguments, "path", path, "it is not a regular file"));
  std::array<char, 64UL << 10U> buffer;  // not initialised: it is written before it is read
  for (;;) {
    if (stop.stop_requested()) return fail(Code::cancelled, fmt::format("cancelled while reading '{}'", path));
    const auto count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(unreadable(arguments, "path", path, std::strerror(errno)));
    if (count == 0) return {};
    if (auto done = piece(std::string_view{buffer.data(), static_cast<std::size_t>(count)}); !done) return done;
  }
}

/// Counts text that comes in pieces; a piece may end anywhere.
class Counter {
 public:
  void add(std::string_view text) {
    bytes_ += text.size();
    for (const char letter : text) {
      const bool space = letter == ' ' || (letter >= '\t' && letter <= '\r');
      words_ += !space && !in_word_ ? 1U : 0U;
      in_word_ = !space;
      newlines_ += letter == '\n' ? 1U : 0U;
      characters_ += (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U ? 1U : 0U;
      last_ = letter;
    }
  }
  [[nodiscard]] lang::JsonText response() const {
    const auto lines = newlines_ + (last_ == '\n' ? 0U : 1U);
    return {fmt::format(R"({{"bytes":{},"characters":{},"lines":{},"words":{}}})", bytes_, characters_, lines, words_)};
  }

 private:
  std::uint64_t bytes_ = 0;
  std::uint64_t characters_ = 0;
  std::uint64_t newlines_ = 0;
  std::uint64_t words_ = 0;
  bool in_word_ = false;
  char last_ = '\n';
};

void append_line(std::string& out, std::string_view line, std::uint64_t index) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (index != 0) out += ',';
  append_quoted(out, line);
}

Error too_large(std::string_view builtin) {
  return make_error(Code::tool_output_too_large, fmt::format("builtin '{}': the response is over {} bytes", builtin, limits::kToolOutputBytesMax));
}

/// Names of regular files that match, as absolute paths.
Result<std::vector<std::string>> matching_files(const Arguments& arguments, const std::string& directory, const std::string& pattern) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const auto root = fs::absolute(directory, problem).lexically_normal();
  fs::directory_iterator entries{root, problem};
  if (problem) return fail(unreadable(arguments, "directory", directory, problem.message()));
  std::vector<std::string> files;
  std::size_t bytes = 0;
  for (; entries != fs::directory_iterator{}; entries.increment(problem)) {
    if (::fnmatch(pattern.c_str(), entries->path().filename().c_str(), FNM_PERIOD) != 0) continue;
    std::error_code vanished;  // a file that went away meanwhile is not one
    if (!entries->is_regular_file(vanished)) continue;
    files.push_back(entries->path().string());
    bytes += files.back().size() + 3;
    if (bytes > limits::kToolOutputBytesMax) return fail(too_large("list_files"));
  }
  if (problem) return fail(unreadable(arguments, "directory", directory, problem.message()));
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<lang::JsonText> file_lines(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  const auto path = arguments.string("path");
  if (!path) return fail(path.error());
  lang::JsonText response{R"({"lines":[)"};
  std::string open;  // the line that the last piece did not finish
  std::uint64_t count = 0;
  auto done = read_file(arguments, *path, around.stop, [&](std::string_view piece) -> Result<void> {
    for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      open += piece.substr(0, end);
      append_line(response.text, open, count++);
      open.clear();
      piece.remove_prefix(end + 1);
    }
    open += piece;
    if (response.text.size() + open.size() > limits::kToolOutputBytesMax) return fail(too_large("file_lines"));
    return {};
  });
  if (!done) return fail(std::move(done).error());
  if (!open.empty()) append_line(response.text, open, count++);
  response.text += fmt::format(R"(],"count":{}}})", count);
  return response;
}

Result<lang::JsonText> word_count(const Task& task, const BuiltinContext& around) {
  const Arguments arguments{task};
  if (arguments.has("path") && arguments.has("text")) {
    return fail(arguments.error(Code::fields_exclusive, "path", "and argument 'text' are both given; give one"));
  }
  Counter counter;
  if (arguments.has("text")) {
    const auto text = arguments.string("text");
    if (!text) return fail(text.error());
    counter.add(*text);
    return counter.response();
  }
  const auto path = arguments.string("path");
  if (!path) return fail(path.error());
  auto done = read_file(arguments, *path, around.stop, [&](std::string_view piece) -> Result<void> {
    counter.add(piece);
    return {};
  });
  if (!done) return fail(std::move(done).error());
  return counter.response();
}

Result<lang::JsonText> list_files(const Task& task, const BuiltinContext& /*around*/) {
  const Arguments arguments{task};
  const auto directory = arguments.string("directory");
  if (!directory) return fail(directory.error());
  const auto pattern = arguments.string_or("pattern", "*");
  if (!pattern) return fail(pattern.error());
  const auto files = matching_files(arguments, *directory, *pattern);
  if (!files) return fail(files.error());
  lang::JsonText response{R"({"count":)" + std::to_string(files->size()) + R"(,"files":[)"};
  for (std::size_t index = 0; index < files->size(); ++index) {
    const auto& file = (*files)[index];
    if (!is_utf8(file)) return fail(Code::not_utf8, fmt::format("builtin 'list_files': the name of '{}' is not UTF-8; rename it", to_utf8(file)));
    if (index != 0) response.text += ',';
    append_quoted(response.text, file);
  }
  response.text += "]}";
  return response;
}

}  // namespace catena::worker::builtin
