#include "worker/utf8.hpp"

#include <cstddef>

#include "base/utf8.hpp"

namespace catena::worker {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

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
    const auto length = utf8_length(bytes.substr(at, 4));
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
    const auto length = utf8_length(bytes.substr(at, 4));
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
    const auto length = utf8_length(bytes.substr(at, 4));
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
