#include "lang/file/file_port.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lang/document/json_sax.hpp"

namespace catena::lang {
namespace {

constexpr std::size_t kPathBytesMax = 1024;

tl::unexpected<Error> invalid(std::string_view path, std::string_view why) {
  return fail(Code::file_path_invalid, fmt::format("'{}' is no path in the file store: {}", path, why));
}

}  // namespace

Result<std::string> normal_file_path(std::string_view path) {
  // What a message shows of a path has to be text, and whole characters.
  if (find_invalid_utf8(path)) return invalid("…", "it is not UTF-8");
  if (path.size() > kPathBytesMax) return invalid("…", fmt::format("it is longer than {} bytes", kPathBytesMax));
  if (path.empty() || path.front() != '/') return invalid(path, "it must begin with '/'");
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
    return invalid("…", "it has control characters in it");
  }
  std::string normal;
  for (std::size_t at = 0; at < path.size();) {
    const auto end = std::min(path.find('/', at + 1), path.size());
    const auto name = path.substr(at + 1, end - at - 1);
    if (name == "..") return invalid(path, "it must not have '..' in it");
    if (!name.empty() && name != ".") normal.append("/").append(name);
    at = end;
  }
  return normal.empty() ? "/" : normal;
}

}  // namespace catena::lang
