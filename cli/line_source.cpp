#include "cli/line_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace catena::cli {
namespace {

Error unreadable(const std::string& name, int reason) {
  return make_error(Code::file_unreadable, fmt::format("cannot read '{}': {}", name, std::generic_category().message(reason)));
}

}  // namespace

Result<LineSource> LineSource::open(const std::string& file, std::size_t line_bytes_max) {
  if (file == "-") return LineSource{"standard input", Fd{}, STDIN_FILENO, line_bytes_max};
  Fd opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  const int descriptor = opened.get();
  if (descriptor < 0) return fail(unreadable(file, errno));
  return LineSource{file, std::move(opened), descriptor, line_bytes_max};
}

Result<bool> LineSource::read_more() {
  pollfd watch{descriptor_, POLLIN, 0};
  if (::poll(&watch, 1, 0) < 1) return false;
  std::array<char, 65536> bytes{};
  const auto got = ::read(descriptor_, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got < 0) return fail(unreadable(name_, errno));
  if (got == 0) {
    ended_ = true;
    return true;
  }
  buffer_.erase(0, begin_);
  looked_at_ -= begin_;
  begin_ = 0;
  buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

SourceLine LineSource::cut(std::size_t end) {
  SourceLine line{++number_, {}, std::exchange(skipping_, false)};
  if (!line.too_long && end - begin_ > line_bytes_max_) line.too_long = true;
  if (!line.too_long) line.text = buffer_.substr(begin_, end - begin_);
  begin_ = looked_at_ = end == buffer_.size() ? end : end + 1;
  return line;
}

Result<std::optional<SourceLine>> LineSource::next() {
  while (true) {
    const auto end = buffer_.find('\n', looked_at_);
    if (end != std::string::npos) return cut(end);
    looked_at_ = buffer_.size();
    if (buffer_.size() - begin_ > line_bytes_max_) {
      skipping_ = true;
      begin_ = buffer_.size();
    }
    if (ended_) {
      if (begin_ == buffer_.size() && !skipping_) return std::nullopt;
      return cut(buffer_.size());
    }
    const auto more = read_more();
    if (!more) return fail(more.error());
    if (!*more) return std::nullopt;
  }
}

}  // namespace catena::cli
