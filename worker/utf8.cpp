#include "worker/utf8.hpp"

#include <cstddef>

namespace catena::worker {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(std::string_view bytes, std::size_t at, unsigned low = 0x80, unsigned high = 0xBF) {
  if (at >= bytes.size()) return false;
  const auto byte = static_cast<unsigned char>(bytes[at]);
  return byte >= low && byte <= high;
}

/// Length of the well-formed sequence at the front (Unicode 15, table 3-7); 0 when it is malformed.
std::size_t sequence_length(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes.front());
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(bytes, 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    // no overlong forms, no surrogates
    const bool second = continues(bytes, 1, lead == 0xE0 ? 0xA0U : 0x80U, lead == 0xED ? 0x9FU : 0xBFU);
    return second && continues(bytes, 2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool second = continues(bytes, 1, lead == 0xF0 ? 0x90U : 0x80U, lead == 0xF4 ? 0x8FU : 0xBFU);
    return second && continues(bytes, 2) && continues(bytes, 3) ? 4 : 0;
  }
  return 0;
}

bool is_plain(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x20 && byte < 0x80 && letter != '"' && letter != '\\';
}

void append_escaped(std::string& out, char letter) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  switch (letter) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  const auto byte = static_cast<unsigned char>(letter);
  out += "\\u00";
  out += kHex[byte >> 4U];
  out += kHex[byte & 0x0FU];
}

/// Passes runs of well-formed text to `text` and a replacement for each byte that is none.
template <class Text>
void for_each_run(std::string_view bytes, Text&& text) {
  std::size_t run = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto length = sequence_length(bytes.substr(at, 4));
    if (length != 0) {
      at += length;
      continue;
    }
    text(bytes.substr(run, at - run));
    text(kReplacement);
    run = ++at;
  }
  text(bytes.substr(run));
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto length = sequence_length(bytes.substr(at, 4));
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for_each_run(bytes, [&](std::string_view text) { out += text; });
  return out;
}

bool is_blank(std::string_view bytes) { return bytes.find_first_not_of(" \t\r\n") == std::string_view::npos; }

void append_quoted(std::string& out, std::string_view bytes) {
  out += '"';
  std::size_t run = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    if (is_plain(bytes[at])) {
      ++at;
      continue;
    }
    const auto length = sequence_length(bytes.substr(at, 4));
    if (length > 1) {
      at += length;
      continue;
    }
    out += bytes.substr(run, at - run);
    if (length == 1)
      append_escaped(out, bytes[at]);
    else
      out += kReplacement;
    run = ++at;
  }
  out += bytes.substr(run);
  out += '"';
}

}  // namespace catena::worker
