#include "cli/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace catena::cli {
namespace {

constexpr std::size_t kBufferBytes = 64UL << 10U;

std::string as_warning(const Error& warning) {
  const auto place = to_string(warning.where);
  auto text = fmt::format("{}{}warning[{}]: {}", place, place.empty() ? "" : ": ", name(warning.code), warning.message);
  for (const auto& note : warning.notes) text += "\n    " + note;
  return text;
}

}  // namespace

void Output::write(std::string_view text) {
  if (closed()) return;
  if (buffer_.size() + text.size() > kBufferBytes) flush();
  if (text.size() > kBufferBytes) return write_all(text);
  buffer_.append(text);
}

void Output::flush() {
  write_all(buffer_);
  buffer_.clear();
}

void Output::write_all(std::string_view bytes) {
  while (!bytes.empty() && failure_ == 0) {
    const auto written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready{descriptor_, POLLOUT, 0};  // somebody else made the description non-blocking
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
}

Result<void> Output::finish() {
  flush();
  if (failure_ == 0 || failure_ == EPIPE) return {};
  return fail(Code::storage_io, fmt::format("the output could not be written: {}", std::strerror(failure_)));
}

Console::Console() : out_{STDOUT_FILENO}, err_{STDERR_FILENO}, live_{::isatty(STDERR_FILENO) == 1}, out_live_{::isatty(STDOUT_FILENO) == 1} {}

void Console::say(std::string_view text) {
  draw("");
  err_.line(text);
  err_.flush();
}

void Console::error(const Error& error) { say(render(error)); }

void Console::warning(const Error& warning) { say(as_warning(warning)); }

void Console::draw(std::string_view line) {
  if (!live_ || (line.empty() && !drawn_)) return;
  err_.write("\r\x1b[K");
  err_.write(line);
  err_.flush();
  drawn_ = !line.empty();
}

std::size_t Console::width() const {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

void secure_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is the one that is closed.
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF && ::open("/dev/null", O_RDWR) == -1) ::_exit(1);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace catena::cli
