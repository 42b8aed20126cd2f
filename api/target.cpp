#include "api/target.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/characters.hpp"
#include "base/utf8.hpp"

namespace catena::api {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10U;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10U;
  return std::nullopt;
}

bool is_all_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Error malformed(std::string_view what) { return make_error(Code::request_invalid, fmt::format("the target of the request {}", what)); }

/// A part of the target, decoded.
Result<std::string> part_of(std::string_view text) {
  auto decoded = percent_decoded(text);
  if (!decoded) return fail(malformed("has a '%' without two hexadecimal digits behind it, or %00"));
  if (!is_all_utf8(*decoded)) return fail(malformed("is not UTF-8"));
  return std::move(*decoded);
}

Result<std::vector<std::string>> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  path.remove_prefix(1);
  while (true) {
    const auto end = std::min(path.find('/'), path.size());
    auto segment = part_of(path.substr(0, end));
    if (!segment) return fail(std::move(segment).error());
    if (*segment == "." || *segment == "..") return fail(malformed("has a segment '.' or '..'; name the path itself"));
    segments.push_back(std::move(*segment));
    if (end == path.size()) return segments;
    path.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      decoded += text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const auto high = hex_digit(text[at + 1]);
    const auto low = hex_digit(text[at + 2]);
    if (!high || !low || *high * 16U + *low == 0) return std::nullopt;
    decoded += static_cast<char>(*high * 16U + *low);
    at += 2;
  }
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (in_dotted_name(c) || c == '~') {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

std::string hex_text(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    const auto high = hex_digit(text[at]);
    const auto low = hex_digit(text[at + 1]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high * 16U + *low);
  }
  return bytes;
}

Result<Target> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return fail(malformed("is no path; it begins with '/'"));
  const auto end_of_path = std::min(target.find('?'), target.size());
  auto segments = segments_of(target.substr(0, end_of_path));
  if (!segments) return fail(std::move(segments).error());
  Target parsed{std::move(*segments), {}};
  auto query = end_of_path == target.size() ? std::string{} : std::string{target.substr(end_of_path + 1)};
  std::ranges::replace(query, '+', ' ');
  for (std::string_view rest = query; !rest.empty();) {
    const auto end = std::min(rest.find('&'), rest.size());
    const auto pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    const auto equals = static_cast<std::size_t>(std::ranges::find(pair, '=') - pair.begin());
    auto name = part_of(pair.substr(0, equals));
    if (!name) return fail(std::move(name).error());
    auto value = part_of(equals == pair.size() ? std::string_view{} : pair.substr(equals + 1));
    if (!value) return fail(std::move(value).error());
    parsed.query.emplace_back(std::move(*name), std::move(*value));
  }
  return parsed;
}

}  // namespace catena::api
