#pragma once
// Bytes from files and processes on their way into JSON: what is not UTF-8 becomes U+FFFD, so that no output can damage a record.
#include <string>
#include <string_view>

namespace catena::worker {

[[nodiscard]] bool is_utf8(std::string_view bytes);
[[nodiscard]] std::string to_utf8(std::string_view bytes);
/// Whether they are nothing, or nothing but the white space of JSON.
[[nodiscard]] bool is_blank(std::string_view bytes);
/// Appends the bytes as a JSON string, quoted and escaped.
void append_quoted(std::string& out, std::string_view bytes);

}  // namespace catena::worker
