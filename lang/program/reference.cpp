#include "lang/program/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"

namespace catena::lang {
namespace {

constexpr std::string_view kPrefix = "REF:";

bool is_segment_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x20 && byte != 0x7f && c != '.' && c != '[' && c != ']';
}

tl::unexpected<Error> refuse(std::string_view text, std::string_view why, const Place& where) {
  return fail(Code::reference_syntax, fmt::format("'{}' is not a reference: {}", text, why), where);
}

std::string why_not_a_segment(std::string_view segment) {
  if (segment.empty()) return "two dots in a row, or a dot at the end";
  if (segment.find_first_of("[]") != std::string_view::npos) return "write an index as a segment, '.0' instead of '[0]'";
  return "white space and control characters cannot be part of one; a reference stands alone in its string (write '\\REF:' for the "
         "literal text 'REF:')";
}

}  // namespace

bool is_reference(std::string_view text) { return text.starts_with(kPrefix); }

std::string literal_text(std::string_view text) { return std::string{text.starts_with("\\REF:") ? text.substr(1) : text}; }

bool is_step_id_char(char c) { return in_id(c); }

bool is_step_id(std::string_view id) { return !id.empty() && std::ranges::all_of(id, is_step_id_char); }

bool is_segment(std::string_view name) { return !name.empty() && std::ranges::all_of(name, is_segment_char); }

Result<ReferenceText> parse_reference(std::string_view text, const Place& where) {
  auto rest = text.substr(kPrefix.size());
  const auto dot = rest.find('.');
  const auto context = rest.substr(0, dot);
  if (context.empty()) return refuse(text, "it names nothing; write REF:arguments.<name> or REF:<execution_id>.response", where);
  if (!is_step_id(context)) {
    return refuse(text, fmt::format("'{}' is neither 'arguments' nor an execution id (letters, digits, '_' and '-')", context), where);
  }
  if (dot == std::string_view::npos) {
    const auto* whole = context == "arguments" ? "<name>" : "response";
    return refuse(text, fmt::format("it needs a segment; write REF:{}.{}", context, whole), where);
  }
  ReferenceText reference{std::string{context}, {}};
  for (rest.remove_prefix(dot + 1);;) {
    const auto end = rest.find('.');
    const auto segment = rest.substr(0, end);
    if (!is_segment(segment)) return refuse(text, why_not_a_segment(segment), where);
    reference.segments.emplace_back(segment);
    if (end == std::string_view::npos) return reference;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace catena::lang
