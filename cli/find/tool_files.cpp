#include "cli/find/tool_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "base/descriptor_io.hpp"
#include "base/fd.hpp"
#include "base/hash.hpp"
#include "cli/find/tool_describer.hpp"
#include "lang/package/bundle.hpp"
#include "lang/program/description.hpp"
#include "lang/program/endpoint.hpp"

namespace catena::cli {
namespace {

namespace fs = std::filesystem;

/// What tools leave beside themselves and nobody ships.
bool is_passed_over(const fs::path& name) { return name == ".git" || name == "__pycache__"; }

/// Beside the definition that names it, or in a root. A name without a slash may have been found on PATH, and a folder of PATH may lie in
/// a root: such a program is of the machine, not of the tools.
bool belongs_to_tools(const fs::path& program, const fs::path& written, const fs::path& from, const std::vector<fs::path>& roots) {
  const auto folder = program.parent_path();
  if (!written.has_parent_path()) return folder == from.parent_path() || std::ranges::find(roots, folder) != roots.end();
  const bool in_a_root = std::ranges::any_of(roots, [&](const fs::path& root) { return root != "/" && lies_in(folder, root); });
  return in_a_root || (written.is_relative() && folder == (from.parent_path() / written).lexically_normal().parent_path());
}

/// Collects the files of one endpoint.
class Collector {
 public:
  Collector(const lang::ToolCall& call, const std::vector<fs::path>& roots)
      : call_{call}, roots_{roots}, beside_{fs::path{call.endpoint.from}.parent_path()} {}

  Result<void> add_program(const fs::path& written) {
    const fs::path program{call_.endpoint.target};
    if (!belongs_to_tools(program, written, call_.endpoint.from, roots_)) return {};
    return add_place(0, program);
  }

  /// Arguments that are files beside the definition.
  Result<void> add_arguments() {
    const auto arguments = lang::command_arguments(call_.endpoint);
    for (std::uint32_t at = 0; at < arguments.size(); ++at) {
      const fs::path written{arguments[at]};
      if (written.empty() || written.is_absolute() || written.native().front() == '-') continue;
      std::error_code failed;
      const auto file = fs::canonical(beside_ / written, failed);
      if (failed || !fs::is_regular_file(file, failed) || !lies_in(file, beside_)) continue;
      if (auto added = add_place(at + 1, file); !added) return added;
    }
    return {};
  }

  Result<void> add_files() {
    for (const auto& pattern : call_.endpoint.files) {
      const auto before = files_.size();
      if (auto added = add_matching(pattern); !added) return added;
      if (files_.size() == before && !named_)
        return fail(Code::file_unreadable, fmt::format("tool '{}': `files` names '{}', and there is nothing of that name beside '{}'", call_.name,
                                                       pattern, call_.endpoint.from));
    }
    return {};
  }

  [[nodiscard]] ToolFiles take() && {
    ToolFiles made{call_.name, {}, {files_.begin(), files_.end()}, std::move(places_)};
    for (const auto& file : made.files) {
      if (made.folder.empty()) made.folder = file.parent_path();
      while (!lies_in(file, made.folder)) made.folder = made.folder.parent_path();
    }
    return made;
  }

 private:
  Result<void> add_place(std::uint32_t place, const fs::path& file) {
    places_.emplace(place, file);
    files_.insert(file);
    const auto folder = file.parent_path();
    const bool own = folder != beside_ && folder.filename() != "bin" && std::ranges::find(roots_, folder) == roots_.end() && lies_in(folder, beside_);
    return own && call_.endpoint.files.empty() ? add_folder(folder) : Result<void>{};
  }

  Result<void> add_file(const fs::path& file) {
    std::error_code failed;
    const auto real = fs::canonical(file, failed);
    const auto within = [&](const fs::path& root) { return root != "/" && lies_in(real, root); };
    if (failed) return {};  // a link that leads nowhere
    if (!lies_in(real, beside_) && std::ranges::none_of(roots_, within)) {
      return fail(Code::path_outside_root,
                  fmt::format("tool '{}': '{}' lies outside the folder of its definition and outside every tool root", call_.name, file.string()));
    }
    if (fs::is_directory(real, failed)) return real == file ? add_folder(file) : Result<void>{};
    if (!fs::is_regular_file(real, failed)) return {};
    named_ = true;
    files_.insert(file);
    if (files_.size() <= lang::kBundleFilesMax) return {};
    return fail(Code::file_too_large,
                fmt::format("tool '{}' would bring more than {} files; name those that it needs under `files`", call_.name, lang::kBundleFilesMax));
  }

  Result<void> add_folder(const fs::path& folder) {
    std::error_code failed;
    std::vector<fs::path> entries;
    for (fs::directory_iterator at{folder, failed}, end; !failed && at != end; at.increment(failed)) {
      if (!is_passed_over(at->path().filename())) entries.push_back(at->path());
    }
    for (const auto& entry : entries) {
      if (auto added = add_file(entry); !added) return added;
    }
    return {};
  }

  /// A path, or a pattern as shells have them: `*`, `?` and `[…]` stay within a folder, `**` does not.
  Result<void> add_matching(const std::string& pattern) {
    named_ = false;
    if (pattern.find_first_of("*?[") == std::string::npos) {
      const auto file = (beside_ / pattern).lexically_normal();
      std::error_code failed;
      return fs::exists(file, failed) ? add_file(file.has_filename() ? file : file.parent_path()) : Result<void>{};
    }
    const bool deep = pattern.find("**") != std::string::npos;
    const auto base = (beside_ / pattern.substr(0, pattern.substr(0, pattern.find_first_of("*?[")).rfind('/') + 1)).lexically_normal();
    std::error_code failed;
    std::vector<fs::path> matching;
    for (fs::recursive_directory_iterator at{base, failed}, end; !failed && at != end; at.increment(failed)) {
      if (is_passed_over(at->path().filename())) {
        at.disable_recursion_pending();
        continue;
      }
      const auto relative = at->path().lexically_relative(beside_).generic_string();
      if (::fnmatch(pattern.c_str(), relative.c_str(), deep ? 0 : FNM_PATHNAME) == 0) matching.push_back(at->path());
      if (matching.size() > lang::kBundleFilesMax) break;
    }
    for (const auto& file : matching) {
      if (auto added = add_file(file); !added) return added;
    }
    return {};
  }

  const lang::ToolCall& call_;
  const std::vector<fs::path>& roots_;
  fs::path beside_;
  std::set<fs::path> files_;
  std::map<std::uint32_t, fs::path> places_;
  bool named_ = false;
};

Result<std::string> read_content(const std::string& tool, const fs::path& path, std::size_t room) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string content;
  const auto reason = file.is_open() ? read_all(file.get(), room, content) : errno;
  if (reason != 0) return fail(Code::file_unreadable, fmt::format("tool '{}': '{}' cannot be read: {}", tool, path.string(), std::strerror(reason)));
  if (content.size() <= room) return content;
  return fail(
      Code::file_too_large,
      fmt::format("with '{}' tool '{}' would bring more than {} MiB, the most that is sent to workers; name what it needs under `files`, or install "
                  "it on the workers, and name it by a path outside the tool roots or by its name on PATH",
                  path.string(), tool, lang::kProgramBytesMax >> 20U));
}

Result<std::string> read_bundle(const ToolFiles& tool) {
  constexpr std::size_t kPerFile = 64;  // and its path: what it takes in the bundle besides its content
  std::vector<lang::BundleFile> files;
  std::size_t room = lang::kProgramBytesMax;
  for (const auto& file : tool.files) {
    auto content = read_content(tool.name, file, room);
    if (!content) return content;
    auto path = file.lexically_relative(tool.folder).generic_string();
    room -= std::min(room, content->size() + path.size() + kPerFile);
    struct ::stat status {};
    const bool executable = ::stat(file.c_str(), &status) == 0 && (status.st_mode & S_IXUSR) != 0;
    files.push_back({std::move(path), executable, std::move(*content)});
  }
  return lang::pack_bundle(std::move(files));
}

}  // namespace

Result<std::map<std::string, ToolFiles>> tool_files(const lang::Package& package, const std::vector<fs::path>& roots) {
  // "<key of the definition>\n<as written>": absolute path
  std::map<std::pair<std::string, std::string>, std::string> written;
  const auto manifest = Json::parse(package.manifest);
  for (const auto& [reference, program] : manifest.at("programs").items()) {
    const auto line = reference.find('\n');
    written.emplace(std::pair{reference.substr(0, line), program.get<std::string>()}, reference.substr(line + 1));
  }
  std::map<std::string, ToolFiles> found;
  for (const auto& [key, program] : package.programs) {
    for (const auto& step : program->steps) {
      const auto* call = std::get_if<lang::ToolCall>(&step.call);
      if (call == nullptr || !lang::runs_program(call->endpoint) || found.contains(lang::bundle_key(call->endpoint))) continue;
      Collector collector{*call, roots};
      const auto as_written = written.find({call->endpoint.from, call->endpoint.target});
      if (as_written == written.end()) continue;
      auto collected = collector.add_program(as_written->second);
      if (collected) collected = collector.add_arguments();
      if (collected) collected = collector.add_files();
      if (!collected) return fail(std::move(collected).error());
      auto files = std::move(collector).take();
      if (!files.files.empty() && !files.places.empty()) found.emplace(lang::bundle_key(call->endpoint), std::move(files));
    }
  }
  return found;
}

Result<std::map<std::string, std::string>> pin_tool_files(lang::Package& package, const DefinitionRoots& roots) {
  if (auto checked = check_descriptions(package, roots.describer()); !checked) return fail(std::move(checked).error());
  const auto tools = tool_files(package, roots.roots());
  if (!tools) return fail(tools.error());
  std::map<std::string, std::string> programs;
  std::map<std::string, lang::Bundled> bundles;
  std::map<std::string, std::string> contents;
  for (const auto& [key, tool] : *tools) {
    auto content = tool.is_one_program() ? read_content(tool.name, tool.files.front(), lang::kProgramBytesMax) : read_bundle(tool);
    if (!content) return fail(std::move(content).error());
    auto hash = sha256_hex(*content);
    if (tool.is_one_program()) {
      programs.emplace(tool.files.front().string(), hash);
    } else {
      auto& bundle = bundles[key];
      bundle.hash = hash;
      for (const auto& [place, file] : tool.places) bundle.places.emplace(place, file.lexically_relative(tool.folder).generic_string());
    }
    contents.emplace(std::move(hash), std::move(*content));
  }
  if (auto pinned = lang::pin_programs(package, programs); !pinned) return fail(pinned.error());
  if (auto pinned = lang::pin_bundles(package, bundles); !pinned) return fail(pinned.error());
  return contents;
}

}  // namespace catena::cli
