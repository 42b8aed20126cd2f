#include "cli/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/unicode.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t kBufferBytes = 64UL << 10U;

std::string as_warning(const Error& warning) {
  const auto place = to_string(warning.where);
  auto text = fmt::format("{}{}warning[{}]: {}", place, place.empty() ? "" : ": ", name(warning.code), warning.message);
  for (const auto& note : warning.notes) text += "\n    " + note;
  return text;
}

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[1;33m";

/// Control characters, and bytes that are no UTF-8, as \x1b or \u202e; those that are kept stay.
std::string written_out(std::string_view text, std::string_view kept) {
  constexpr char32_t kNoCharacter = 0xFFFD;
  std::string out;
  while (!text.empty()) {
    const auto next = first_character(text);
    text.remove_prefix(next.bytes.size());
    const bool stray = next.code == kNoCharacter && next.bytes.size() == 1;
    if (stray || (is_control(next.code) && kept.find(next.bytes) == std::string_view::npos)) {
      const auto code = stray ? static_cast<char32_t>(static_cast<unsigned char>(next.bytes.front())) : next.code;
      out += code < 0x100 ? fmt::format("\\x{:02x}", static_cast<std::uint32_t>(code)) : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code));
    } else {
      out += next.bytes;
    }
  }
  return out;
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

// Messages hold what tools and definitions say: nothing of it may steer the terminal.
void Console::error(const Error& error) { say(marked(printable_lines(render(error)), "error[", kRed)); }

void Console::warning(const Error& warning) { say(marked(printable_lines(as_warning(warning)), "warning[", kYellow)); }

bool Console::may_color() const {
  const char* no = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused = (no != nullptr && *no != '\0') || terminal == nullptr || std::string_view{terminal} == "dumb";
  return live_ && !refused;
}

std::string Console::marked(std::string text, std::string_view word, std::string_view color) const {
  const auto at = color_ ? text.find(word) : std::string::npos;
  const auto end = at == std::string::npos ? at : text.find(']', at);
  if (end == std::string::npos) return text;
  return text.substr(0, at) + std::string{color} + text.substr(at, end + 1 - at) + "\x1b[0m" + text.substr(end + 1);
}

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

std::size_t Console::columns() const {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void secure_standard_streams() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is the one that is closed.
    if (::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF && ::open("/dev/null", O_RDWR) == -1) ::_exit(1);
  }
}

std::string printable(std::string_view text) { return written_out(text, ""); }

std::string printable_lines(std::string_view text) { return written_out(text, "\n\t"); }

}  // namespace catena::cli
