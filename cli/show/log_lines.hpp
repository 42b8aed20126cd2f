#pragma once
// What attempts printed as lines: segments of each stream put together, and a word where something of it is not kept. Pure.
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "base/json.hpp"
#include "coordinator/inspect/log_questions.hpp"

namespace catena::cli {

struct LogLine {
  coordinator::LogRow of = {};  // without its text
  std::string text = {};
  std::uint64_t cut = 0;  // not a line, but so many bytes that are not kept
};
/// "crawl/12#1", of a later visit "crawl@2/12#1"
[[nodiscard]] std::string attempt_name(const coordinator::LogRow& row);
/// The name, " stdout" where it is that, a colon and the text.
[[nodiscard]] std::string text_of(const LogLine& line);
[[nodiscard]] Json to_json(const LogLine& line);

class LogLines {
 public:
  using Print = std::function<void(const LogLine& line)>;
  explicit LogLines(Print print) : print_{std::move(print)} {}

  void take(const coordinator::LogRow& row);
  /// Nothing more comes: lines without an end are printed.
  void end();

 private:
  using Key = std::tuple<std::string, Visit, ItemIndex, Attempt, actors::LogStream>;
  struct Stream {
    coordinator::LogRow of;  // the last, without its text
    std::uint64_t next = 0;  // where its next text begins
    std::string open;        // a line without its end
  };
  void print_lines(Stream& stream, std::string_view text);
  void forget_some();

  Print print_;
  std::map<Key, Stream> streams_;
  bool forgot_ = false;  // some: where they were is not known
};

}  // namespace catena::cli
