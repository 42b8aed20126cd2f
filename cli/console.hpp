#pragma once
// The two streams of a command. stdout carries data and nothing else, stderr what a person should know. Neither throws, and a reader
// that went away (`| head`) ends nothing but the output.
#include <string>
#include <string_view>

#include "base/result.hpp"

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

class Console {
 public:
  Console();

  [[nodiscard]] Output& out() { return out_; }
  /// stderr is watched by a person.
  [[nodiscard]] bool live() const { return live_; }
  /// So is stdout: what it prints may be for the moment.
  [[nodiscard]] bool out_live() const { return out_live_; }

  void error(const Error& error);
  void warning(const Error& warning);
  /// A line for a person.
  void say(std::string_view text);
  /// Whether a terminal is there that has colours and nobody asked for none (NO_COLOR).
  [[nodiscard]] bool may_color() const;
  void use_color(bool yes) { color_ = yes; }
  /// Draws one line over the last such line; "" takes it away. Only on a terminal.
  void draw(std::string_view line);
  /// Columns of the terminal behind stderr; 80 where there is none.
  [[nodiscard]] std::size_t width() const;
  /// Columns of the terminal behind stdout; 0 where there is none: data is written whole.
  [[nodiscard]] std::size_t columns() const;

 private:
  /// With a colour around the word that says what it is.
  [[nodiscard]] std::string marked(std::string text, std::string_view word, std::string_view color) const;

  Output out_;
  Output err_;
  bool live_ = false;
  bool color_ = false;
  bool out_live_ = false;
  bool drawn_ = false;
};

/// A signal of a closed pipe, or a closed standard descriptor that the next file opened would take over, must not do harm. Call first.
void secure_standard_streams();

/// Writes out control characters of a text that goes to a terminal (\x1b), line ends among them.
[[nodiscard]] std::string printable(std::string_view text);
/// The same, with line ends and tabs as they are: what tools said may have several lines.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace catena::cli
