#include "cli/find/pinned_programs.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/descriptor_io.hpp"
#include "base/hash.hpp"
#include "cli/find/definition_roots.hpp"
#include "worker/fd.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

/// Beside the definition that names it, or in a root. A name without a slash may have been found on PATH, and a folder of PATH may lie in
/// a root: such a program is of the machine, not of the tools.
bool belongs_to_tools(const fs::path& program, const fs::path& written, const fs::path& from, const std::vector<fs::path>& roots) {
  const auto folder = program.parent_path();
  if (!written.has_parent_path()) return folder == from.parent_path() || std::ranges::find(roots, folder) != roots.end();
  const bool in_a_root = std::ranges::any_of(roots, [&](const fs::path& root) { return root != "/" && lies_in(folder, root); });
  return in_a_root || (written.is_relative() && folder == (from.parent_path() / written).lexically_normal().parent_path());
}

Result<std::string> read_program(const std::string& path) {
  const worker::Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string content;
  const auto reason = file.is_open() ? read_all(file.get(), lang::kProgramBytesMax, content) : errno;
  if (reason != 0) return fail(Code::file_unreadable, fmt::format("the program '{}' cannot be read: {}", path, std::strerror(reason)));
  if (content.size() > lang::kProgramBytesMax) {
    return fail(Code::file_too_large,
                fmt::format("the program '{}' is larger than {} MiB, the most that is sent to workers; install it on them, and name it by a path "
                            "outside the tool roots or by its name on PATH",
                            path, lang::kProgramBytesMax >> 20U));
  }
  return content;
}

}  // namespace

Result<std::map<std::string, Pinned>> programs_of(const lang::Package& package, const std::vector<fs::path>& roots) {
  std::map<std::string, Pinned> found;
  const auto manifest = Json::parse(package.manifest);
  // "<key of the definition>\n<as written>": absolute path
  for (const auto& [reference, program] : manifest.at("programs").items()) {
    const auto path = program.get<std::string>();
    const auto line = reference.find('\n');
    const fs::path from{reference.substr(0, line)};
    const fs::path written{reference.substr(line + 1)};
    if (found.contains(path) || !belongs_to_tools(path, written, from, roots)) continue;
    auto content = read_program(path);
    if (!content) return fail(content.error());
    auto hash = sha256_hex(*content);
    found.emplace(path, Pinned{std::move(hash), std::move(*content)});
  }
  return found;
}

Result<std::map<std::string, std::string>> pin_programs_of(lang::Package& package, const std::vector<fs::path>& roots) {
  auto found = programs_of(package, roots);
  if (!found) return fail(found.error());
  std::map<std::string, std::string> hashes;
  std::map<std::string, std::string> contents;
  for (auto& [path, program] : *found) {
    hashes.emplace(path, program.hash);
    contents.emplace(program.hash, std::move(program.content));
  }
  if (auto pinned = lang::pin_programs(package, hashes); !pinned) return fail(pinned.error());
  return contents;
}

}  // namespace catena::cli
