#include "cli/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
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
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) return std::string{text};
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

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

/// By the locale that the environment names; a terminal of another one shows UTF-8 as rubbish.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto locale = variable(name);
    if (locale.empty()) continue;
    const auto lower = to_lower(locale);
    return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
  }
  return false;
}

struct TerminalSize {
  std::size_t columns = 0;
  std::size_t lines = 0;
};

TerminalSize size_of(int descriptor, std::size_t columns, std::size_t lines) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {columns, lines};
  return {size.ws_col, size.ws_row == 0 ? lines : size.ws_row};
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

Console::Console(const Streams& streams)
    : streams_{streams},
      out_{streams.out},
      err_{streams.err},
      live_{::isatty(streams.err) == 1},
      out_live_{::isatty(streams.out) == 1},
      moves_{variable("TERM") != "dumb" && !variable("TERM").empty()},
      symbols_{speaks_utf8()} {}

void Console::say(std::string_view text) {
  clear();
  if (live_ && out_live_) out_.flush();  // on one terminal what was printed first stands first
  err_.line(text);
  err_.flush();
}

// Messages hold what tools and definitions say: nothing of it may steer the terminal.
void Console::error(const Error& error) { say(marked(printable_lines(render(error)), "error[", kRed)); }

void Console::warning(const Error& warning) { say(marked(printable_lines(as_warning(warning)), "warning[", kYellow)); }

void Console::use_color(Coloring coloring) {
  const bool may = coloring == Coloring::automatic && variable("NO_COLOR").empty() && moves_;
  color_ = coloring == Coloring::always || (may && live_);
  color_out_ = coloring == Coloring::always || (may && out_live_);
}

std::string Console::marked(std::string text, std::string_view word, std::string_view color) const {
  const auto at = color_ ? text.find(word) : std::string::npos;
  const auto end = at == std::string::npos ? at : text.find(']', at);
  if (end == std::string::npos) return text;
  return text.substr(0, at) + std::string{color} + text.substr(at, end + 1 - at) + "\x1b[0m" + text.substr(end + 1);
}

void Console::draw(const std::vector<std::string>& lines) {
  if (!can_draw() || (lines.empty() && drawn_ == 0)) return;
  std::string frame;
  if (drawn_ != 0) frame = fmt::format("\x1b[{}A\r\x1b[J", drawn_);
  for (const auto& line : lines) frame += line + "\n";
  err_.write(frame);
  err_.flush();
  drawn_ = lines.size();
}

std::size_t Console::width() const { return size_of(streams_.err, 80, 24).columns; }
std::size_t Console::height() const { return size_of(streams_.err, 80, 24).lines; }
std::size_t Console::columns() const { return size_of(streams_.out, 0, 0).columns; }
std::size_t Console::lines() const { return size_of(streams_.out, 0, 0).lines; }

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
