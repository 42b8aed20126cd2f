#include "lang/expr/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/suggest.hpp"

namespace catena::lang::expr {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// The line with the place, at most a terminal wide, and the caret below it.
void add_caret(Error& error, std::string_view text, std::uint32_t offset) {
  constexpr std::size_t kBefore = 80;
  constexpr std::size_t kAfter = 60;
  const auto at = std::min<std::size_t>(offset, text.size());
  auto begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  if (at - begin > kBefore) begin = at - kBefore;
  auto end = std::min({text.find('\n', at), text.size(), at + kAfter});
  while (begin < at && continues_character(text[begin])) ++begin;
  while (end < text.size() && end > at && continues_character(text[end])) --end;
  std::string line{text.substr(begin, end - begin)};
  const auto before = line.substr(0, at - begin);
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  const auto width = static_cast<std::size_t>(std::ranges::count_if(before, [](char c) { return !continues_character(c); }));
  error.notes.push_back(std::move(line));
  error.notes.push_back(std::string(width, ' ') + "^");
}

}  // namespace

tl::unexpected<Error> fail_at(Code code, std::string message, std::string_view text, std::uint32_t at) {
  auto error = make_error(code, std::move(message));
  add_caret(error, text, at);
  return fail(std::move(error));
}

Error at_caret(Error error, std::string_view text, std::uint32_t at) {
  auto notes = std::move(error.notes);
  error.notes.clear();
  add_caret(error, text, at);
  error.notes.insert(error.notes.end(), std::make_move_iterator(notes.begin()), std::make_move_iterator(notes.end()));
  return error;
}

std::string unknown_name(std::string begins, std::string_view name, std::vector<std::string> names) {
  constexpr std::size_t kShown = 30;
  begins += did_you_mean(name, names);
  if (names.size() > kShown) names.resize(kShown);
  return begins + (names.empty() ? "; there are no variables here" : fmt::format("; there are: {}", fmt::join(names, ", ")));
}

Error inside(Error error, std::string_view outer, std::uint32_t at) {
  constexpr std::size_t kNotesMax = 8;  // a text that holds itself would give hundreds
  if (error.notes.size() >= kNotesMax) return error;
  error.notes.emplace_back("which is text inside of:");
  add_caret(error, outer, at);
  return error;
}

}  // namespace catena::lang::expr
