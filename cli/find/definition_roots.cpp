#include "cli/find/definition_roots.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/fd.hpp"
#include "base/limits.hpp"
#include "base/suggest.hpp"
#include "lang/package/definition_name.hpp"
#include "worker/core_tools.hpp"

namespace catena::cli {
namespace fs = std::filesystem;
namespace {

// A root may be such a folder itself.
constexpr std::array<std::string_view, 2> kFolders{"tools/", "agents/"};
constexpr std::size_t kNamesCompared = 1000;

bool is_directory(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool leaves(const fs::path& relative) {
  const auto normal = relative.lexically_normal();
  return !normal.empty() && *normal.begin() == "..";
}

/// What stands in the folders that were looked at, for a suggestion.
std::vector<std::string> names_in(const std::vector<fs::path>& folders) {
  std::vector<std::string> names;
  for (const auto& folder : folders) {
    std::error_code failed;
    for (fs::directory_iterator at{folder, failed}, end; !failed && at != end && names.size() < kNamesCompared; at.increment(failed)) {
      names.push_back(at->path().filename().string());
    }
  }
  return names;
}

std::string system_message(int number) { return std::error_code{number, std::generic_category()}.message(); }

lang::Source source_of(const worker::CoreTool& tool) { return {worker::core_key(tool), std::string{tool.text}}; }

/// Core tools are called as their files are.
const worker::CoreTool* core_tool_named(std::string_view name) {
  static const auto tools = [] {
    std::map<std::string, const worker::CoreTool*, std::less<>> known;
    for (const auto& tool : worker::core_tools()) known.emplace(lang::file_stem(tool.path), &tool);
    return known;
  }();
  const auto found = tools.find(name);
  return found == tools.end() ? nullptr : found->second;
}

tl::unexpected<Error> unreadable_definition(const fs::path& file, std::string_view why) {
  return fail(Code::file_unreadable, fmt::format("cannot read the definition '{}': {}", file.string(), why));
}

Result<std::string> read_definition_text(int descriptor, const fs::path& file) {
  std::string text;
  // A file may grow while it is read: what counts is what came.
  while (text.size() <= limits::kDocumentBytesMax) {
    constexpr std::size_t kChunk = 64UL << 10U;
    const auto size = text.size();
    text.resize(size + kChunk);
    const auto got = ::read(descriptor, text.data() + size, kChunk);
    const auto failure = errno;
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && failure != EINTR) return unreadable_definition(file, system_message(failure));
    if (got == 0) return text;
  }
  return fail(Code::document_too_large, fmt::format("the definition '{}' is larger than {} bytes; split it, or pass large values as arguments",
                                                    file.string(), limits::kDocumentBytesMax));
}

/// As if a file of that name lay in the working directory, so that paths are looked up from there.
Result<lang::Source> standard_input() {
  std::error_code failed;
  const auto folder = fs::current_path(failed);
  auto text = read_definition_text(STDIN_FILENO, "standard input");
  if (!text) return fail(text.error());
  return lang::Source{(folder / "stdin").string(), std::move(*text)};
}

/// Why the file cannot be run; empty when it can.
std::string_view why_not_runnable(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "is not there";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  if (::access(file.c_str(), X_OK) != 0) return "is not executable (chmod +x makes it so)";
  return {};
}

/// Absolute; the last part stays a link where it is one: programs look at the name they were called by.
std::string absolute_program(const fs::path& file) {
  std::error_code failed;
  const auto folder = fs::canonical(file.parent_path().empty() ? fs::path{"."} : file.parent_path(), failed);
  return (failed ? fs::absolute(file, failed) : folder / file.filename()).string();
}

}  // namespace

bool lies_in(const fs::path& file, const fs::path& root) {
  // Comparing the parts of canonical paths is enough.
  return std::ranges::mismatch(root, file).in1 == root.end();
}

Result<std::string> read_definition_file(const fs::path& file) {
  // Non-blocking, so that opening a fifo waits for nobody.
  const Fd descriptor{::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (descriptor.get() < 0) return unreadable_definition(file, system_message(errno));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) return unreadable_definition(file, system_message(errno));
  if (S_ISDIR(status.st_mode)) return unreadable_definition(file, "it is a directory; name a file in it");
  if (!S_ISREG(status.st_mode)) return unreadable_definition(file, "it is not a regular file");
  return read_definition_text(descriptor.get(), file);
}

Result<DefinitionRoots> DefinitionRoots::open(const RootOptions& options) {
  DefinitionRoots found;
  const auto add = [&](const fs::path& directory) {
    std::error_code failed;
    auto root = fs::canonical(directory, failed);
    if (!failed && std::ranges::find(found.roots_, root) == found.roots_.end()) found.roots_.push_back(std::move(root));
  };
  for (const auto& directory : options.tools) {
    if (!is_directory(directory)) return fail(Code::usage, fmt::format("the tool root '{}' (--tools) is not a directory", directory));
    add(directory);
  }
  if (!options.definition.empty()) {
    std::error_code failed;
    const auto file = options.definition == "-" ? fs::current_path(failed) / "stdin" : fs::canonical(options.definition, failed);
    const auto served = failed ? tool_of_file(options.definition) : std::nullopt;
    const auto program = served ? fs::canonical(served->file, failed) : file;
    if (!failed) add(program.parent_path());
  }
  for (const auto& directory : options.environment) {
    if (is_directory(directory)) add(directory);
  }
  found.search_path_ = options.search_path;
  found.describer_ = options.describer ? options.describer : std::make_shared<ToolDescriber>();
  return found;
}

std::vector<DefinitionRoots::Candidate> DefinitionRoots::candidates(const std::string& path, const fs::path& folder) const {
  std::vector<Candidate> found;
  const bool absolute = path.starts_with('/');
  const auto relative = path.substr(std::min(path.find_first_not_of('/'), path.size()));
  if (!absolute) {
    std::vector<fs::path> within;
    std::ranges::copy_if(roots_, std::back_inserter(within), [&](const fs::path& root) { return lies_in(folder, root); });
    found.push_back({folder / relative, std::move(within)});
  }
  for (const auto& root : roots_) {
    found.push_back({root / relative, {root}});
    for (const auto folder_name : kFolders) {
      if (absolute && relative.starts_with(folder_name)) found.push_back({root / relative.substr(folder_name.size()), {root}});
    }
  }
  return found;
}

Error DefinitionRoots::not_found(std::string_view path, const std::vector<Candidate>& looked) const {
  const auto name = fs::path{path}.filename().string();
  std::vector<fs::path> folders;
  for (const auto& candidate : looked) folders.push_back(candidate.file.parent_path());
  auto near = names_in(folders);
  for (const auto& tool : worker::core_tools()) near.push_back(fs::path{tool.path}.filename().string());
  auto error = make_error(
      Code::definition_not_found,
      fmt::format("there is no definition '{}' in the tool roots (--tools DIR and CATENA_TOOLS add some){}", path, did_you_mean(name, near)));
  std::vector<std::string> seen;
  for (const auto& candidate : looked) {
    auto note = "not at " + candidate.file.string();
    if (std::ranges::find(error.notes, note) == error.notes.end()) error.notes.push_back(std::move(note));
  }
  error.notes.emplace_back("not among the core tools (`catena tools` lists them)");
  return error;
}

Result<lang::Source> DefinitionRoots::from_command_line(std::string_view path) const {
  if (path == "-") return standard_input();
  std::error_code failed;
  const auto file = fs::canonical(fs::path{path}, failed);
  if (!failed) {
    auto text = read_definition_file(file);
    if (!text) return fail(text.error());
    return lang::Source{file.string(), std::move(*text)};
  }
  if (path.starts_with(worker::kCoreRoot)) {
    if (const auto* tool = worker::find_core_tool(path)) return source_of(*tool);
  }
  if (const auto served = tool_of_file(path)) {
    std::error_code absent;
    const auto program = fs::canonical(served->file, absent);
    if (!absent) return served_definition(program, served->tool, *this, *describer_);
  }
  // A word without a slash may be the name of a definition, as in `tools`.
  if (path.find('/') == std::string_view::npos) {
    if (auto source = named(path, ""); source || fs::path{path}.extension().empty()) return source;
  }
  return unreadable_definition(fs::path{path}, failed.message());
}

Result<std::optional<fs::path>> DefinitionRoots::locate(std::string_view path, const std::vector<Candidate>& candidates) const {
  for (const auto& candidate : candidates) {
    const auto lies_within = [&](const fs::path& file) {
      return std::ranges::any_of(candidate.within, [&](const fs::path& root) { return lies_in(file, root); });
    };
    // Paths come with requests too: what lies outside is not looked at, so that nobody learns whether it is there.
    if (!lies_within(candidate.file.lexically_normal())) continue;
    std::error_code failed;
    auto file = fs::canonical(candidate.file, failed);
    if (failed) continue;
    if (!lies_within(file)) {
      return fail(Code::path_outside_root, fmt::format("the path '{}' leads through a link to a place outside its tool root; put the definition into "
                                                       "a root, or make its folder one with --tools DIR",
                                                       path));
    }
    if (fs::is_directory(file, failed)) continue;  // a folder of that name hides no definition in a later root
    return file;
  }
  return std::nullopt;
}

Result<lang::Source> DefinitionRoots::definition(std::string_view path, std::string_view from) const {
  if (from.empty()) return from_command_line(path);
  const std::string written{path};
  if (written.find('\0') != std::string::npos) return fail(Code::definition_not_found, "a path with a NUL character names no definition");
  const auto folder = fs::path{from}.parent_path();
  const auto looked = candidates(written, folder);
  const auto file = locate(path, looked);
  if (!file) return fail(file.error());
  if (*file) {
    auto text = read_definition_file(**file);
    if (!text) return fail(text.error());
    if (observer_) observer_(path, from, (*file)->string());
    return lang::Source{(*file)->string(), std::move(*text)};
  }
  if (const auto served = tool_of_file(path)) {
    const auto program = locate(path, candidates(served->file, folder));
    if (!program) return fail(program.error());
    if (*program) {
      auto source = served_definition(**program, served->tool, *this, *describer_);
      if (source && observer_) observer_(path, from, source->key);
      return source;
    }
  }
  if (const auto* tool = worker::find_core_tool(path)) {
    if (observer_) observer_(path, from, worker::core_key(*tool));
    return source_of(*tool);
  }
  if (leaves(fs::path{written}.relative_path())) {
    return fail(Code::path_outside_root,
                fmt::format("the path '{}' leaves its tool root; put the definition into a root, or make its folder one with --tools "
                            "DIR",
                            path));
  }
  return fail(not_found(path, looked));
}

Result<lang::Source> DefinitionRoots::named(std::string_view name, std::string_view from) const {
  for (const auto& root : roots_) {
    const auto files = index_of(root).find(name);
    if (files.empty()) continue;
    if (files.size() > 1) warn_of_namesakes(name, files);
    auto text = read_definition_file(files.front());
    if (!text) return fail(text.error());
    if (observer_) observer_(name, from, files.front().string());
    return lang::Source{files.front().string(), std::move(*text)};
  }
  const auto* tool = core_tool_named(name);
  if (tool == nullptr) return fail(no_such_name(name));
  if (observer_) observer_(name, from, worker::core_key(*tool));
  return source_of(*tool);
}

bool DefinitionRoots::may_have(std::string_view name) const {
  return core_tool_named(name) != nullptr || std::ranges::any_of(roots_, [&](const fs::path& root) { return !index_of(root).find(name).empty(); });
}

const NameIndex& DefinitionRoots::index_of(const fs::path& root) const {
  const auto known = indexes_.find(root);
  return known != indexes_.end() ? known->second : indexes_.emplace(root, NameIndex{root}).first->second;
}

void DefinitionRoots::warn_of_namesakes(std::string_view name, const std::vector<fs::path>& files) const {
  auto warning = make_error(Code::id_duplicate, fmt::format("{} definitions of one tool root are called '{}': '{}' is taken; rename the others",
                                                            files.size(), name, files.front().string()));
  for (std::size_t at = 1; at < files.size(); ++at) warning.notes.push_back("also " + files[at].string());
  if (std::ranges::find(warnings_, warning) == warnings_.end()) warnings_.push_back(std::move(warning));
}

Error DefinitionRoots::no_such_name(std::string_view name) const {
  std::vector<std::string> known;
  std::vector<std::string> notes;
  for (const auto& root : roots_) {
    const auto names = index_of(root).names();
    known.insert(known.end(), names.begin(), names.end());
    notes.push_back(fmt::format("not in {}, its tools/ or its agents/ (--tools DIR and CATENA_TOOLS add such roots)", root.string()));
  }
  for (const auto& tool : worker::core_tools()) known.push_back(lang::file_stem(tool.path));
  notes.emplace_back("not among the core tools (`catena tools` lists them)");
  for (const auto& root : roots_) {
    const auto& unread = index_of(root).unread();
    notes.insert(notes.end(), unread.begin(), unread.end());
  }
  auto error = lang::no_tool_named(name, known);
  error.notes = std::move(notes);
  return error;
}

Result<std::string> DefinitionRoots::program(std::string_view program, std::string_view from) const {
  const std::string written{program};
  std::vector<fs::path> looked;
  if (written.starts_with('/')) {
    looked.emplace_back(written);
  } else if (!written.empty() && written.find('\0') == std::string::npos) {
    looked.push_back(fs::path{from}.parent_path() / written);
    for (const auto& root : roots_) looked.push_back(root / written);
    if (written.find('/') == std::string::npos) {
      for (const auto& folder : search_path_) looked.push_back(fs::path{folder} / written);
    }
  }
  auto error = make_error(Code::program_not_found,
                          fmt::format("there is no program '{}' to execute; it is looked for beside the definition, in the tool roots{}", program,
                                      written.find('/') == std::string::npos ? " and on PATH" : ""));
  for (const auto& file : looked) {
    const auto why = why_not_runnable(file);
    if (why.empty()) return absolute_program(file);
    auto note = fmt::format("{} {}", file.string(), why);
    if (std::ranges::find(error.notes, note) == error.notes.end()) error.notes.push_back(std::move(note));
  }
  return fail(std::move(error));
}

std::vector<std::string> DefinitionRoots::names() const {
  std::vector<std::string> known;
  for (const auto& root : roots_) {
    for (auto& name : index_of(root).names()) known.push_back(std::move(name));
  }
  for (const auto& tool : worker::core_tools()) known.push_back(lang::file_stem(tool.path));
  return known;
}

std::vector<std::string> DefinitionRoots::paths() const {
  std::vector<std::string> known;
  for (const auto& tool : worker::core_tools()) known.emplace_back(tool.path);
  return known;
}

}  // namespace catena::cli
