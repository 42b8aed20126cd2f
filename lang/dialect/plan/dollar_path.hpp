#pragma once
// References of pipelines and plans: $word, then .name or [index], any number of them. What the words mean is the dialect's business.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace catena::lang {

struct DollarPath {
  struct Segment {
    std::string text;       // as a reference's segment: an index in decimals
    bool is_index = false;  // it stood in brackets
    friend bool operator==(const Segment&, const Segment&) = default;
  };
  std::string word;  // without its dollar sign
  std::vector<Segment> segments;
};

/// The word behind the dollar sign that the text begins with. Nothing where there is none, or where the text goes on with something that
/// continues no reference: "$5", "$prev and more".
[[nodiscard]] std::optional<std::string_view> dollar_word(std::string_view text);

/// `text` has a dollar_word. Error: reference_syntax, with what to write instead.
[[nodiscard]] Result<DollarPath> parse_dollar_path(std::string_view text, const Place& where);

/// Takes the segments that `rest` begins with, .name or [index] each, off it; what continues no path stays: "a.b. And so on" is the
/// segments a and b, and the text ". And so on".
[[nodiscard]] std::vector<DollarPath::Segment> take_segments(std::string_view& rest);

/// The segments as references have them.
[[nodiscard]] std::vector<std::string> segment_texts(const std::vector<DollarPath::Segment>& segments);

}  // namespace catena::lang
