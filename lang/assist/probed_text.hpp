#pragma once
// A text that is being written, made readable: a word stands at the place where somebody writes, and what is still missing around it is put there.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace catena::lang {

/// Where the place is in the text; the end of its line, or of the text, where it lies beyond that.
[[nodiscard]] std::size_t offset_of(std::string_view text, const Place& at);

/// What is written before a place: the name that ends there, and the path.
struct WrittenWord {
  std::string name;
  std::string path;
  std::uint32_t column = 0;  // of the place
};
[[nodiscard]] WrittenWord written_word(std::string_view text, std::size_t offset);

/// A text with the probe in it. What is chosen in its place is written between `before` and `after`.
struct ProbedText {
  std::string text;
  std::string before = {};
  std::string after = {};
};
/// Ways to read the text with the probe at the place, the likely ones first. Not all of them can be read.
[[nodiscard]] std::vector<ProbedText> probed_texts(std::string_view text, std::size_t offset, std::string_view probe);

}  // namespace catena::lang
