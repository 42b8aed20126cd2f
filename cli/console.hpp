#pragma once
// The two streams of a command. stdout carries data and nothing else, stderr what a person should know. Neither throws, and a reader
// that went away (`| head`) ends nothing but the output.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "cli/show/table.hpp"

namespace catena::cli {

/// Buffered writing to a descriptor. The first failure is kept, and everything after it is dropped.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_{descriptor} {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { flush(); }

  void write(std::string_view text);
  void line(std::string_view text) {
    write(text);
    write("\n");
  }
  void flush();
  /// Nobody takes what is written: it can be left out.
  [[nodiscard]] bool closed() const { return failure_ != 0; }
  /// Flushes. Error storage_io when something could not be written; a reader that went away is none.
  [[nodiscard]] Result<void> finish();

 private:
  void write_all(std::string_view bytes);

  int descriptor_;
  int failure_ = 0;  // errno
  std::string buffer_;
};

/// Where a command writes, and by which clock it tells ages. A test has its own.
struct Streams {
  int out = 1;
  int err = 2;
  const Clock* clock = nullptr;  // null: one of its own
};

/// Whether there are colours: as the terminal has them, or as somebody said.
enum class Coloring : std::uint8_t { automatic, always, never };

class Console {
 public:
  explicit Console(const Streams& streams = {});

  [[nodiscard]] Output& out() { return out_; }
  /// stderr is watched by a person.
  [[nodiscard]] bool live() const { return live_; }
  /// So is stdout: what it prints may be for the moment.
  [[nodiscard]] bool out_live() const { return out_live_; }
  [[nodiscard]] UnixMillis now() const { return clock().now(); }
  [[nodiscard]] const Clock& clock() const { return streams_.clock != nullptr ? *streams_.clock : own_; }

  void error(const Error& error);
  void warning(const Error& warning);
  /// A line for a person.
  void say(std::string_view text);
  void use_color(Coloring coloring);
  /// What the terminal behind stdout shows, or was said to show.
  [[nodiscard]] Style style() const { return {color_out_, symbols_}; }
  [[nodiscard]] Style err_style() const { return {color_, symbols_}; }

  /// The terminal behind stderr can be drawn on: the cursor moves.
  [[nodiscard]] bool can_draw() const { return live_ && moves_; }
  /// Draws these lines over those drawn before, which end above the cursor; it is never hidden, so that nothing has to be put right whenever the
  /// process ends. Lines are no wider than width() - 1.
  void draw(const std::vector<std::string>& lines);
  /// One line, and "" takes it away.
  void draw(std::string_view line) { draw(line.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::string{line}}); }
  /// Takes them away.
  void clear() { draw(std::vector<std::string>{}); }
  /// Columns and lines of the terminal behind stderr; 80 and 24 where there is none.
  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] std::size_t height() const;
  /// Columns and lines of the terminal behind stdout; 0 where there is none: data is written whole.
  [[nodiscard]] std::size_t columns() const;
  [[nodiscard]] std::size_t lines() const;
  /// For a table on stdout.
  [[nodiscard]] Room room() const { return {columns(), false, style()}; }

 private:
  /// With a colour around the word that says what it is.
  [[nodiscard]] std::string marked(std::string text, std::string_view word, std::string_view color) const;

  Streams streams_;
  AnchoredClock own_;
  Output out_;
  Output err_;
  bool live_ = false;
  bool out_live_ = false;
  bool moves_ = false;    // TERM is that of a terminal with a cursor
  bool symbols_ = false;  // texts are UTF-8
  bool color_ = false;
  bool color_out_ = false;
  std::size_t drawn_ = 0;  // lines
};

/// A signal of a closed pipe, or a closed standard descriptor that the next file opened would take over, must not do harm. Call first.
void secure_standard_streams();

/// Writes out control characters of a text that goes to a terminal (\x1b), line ends among them.
[[nodiscard]] std::string printable(std::string_view text);
/// The same, with line ends and tabs as they are: what tools said may have several lines.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace catena::cli
