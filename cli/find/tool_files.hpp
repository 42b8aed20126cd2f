#pragma once
// What a submission takes along so that its tools run elsewhere, and run the same when the files here have changed: the programs of exec: and
// serve: endpoints that lie in a tool root or beside a definition, arguments that name files there, and the files that they are shipped with.
// What was found on PATH, or is named by an absolute path elsewhere, is expected on every worker.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/find/definition_roots.hpp"
#include "lang/package/package.hpp"

namespace catena::cli {

/// The files of one endpoint.
struct ToolFiles {
  std::string name;                                       // of the tool
  std::filesystem::path folder;                           // in which all of them lie
  std::vector<std::filesystem::path> files;               // sorted
  std::map<std::uint32_t, std::filesystem::path> places;  // which of them is the program (0), or its n-th argument
  /// The program and nothing else.
  [[nodiscard]] bool is_one_program() const { return files.size() == 1 && places.size() == 1 && places.contains(0); }
};

/// By lang::bundle_key. `roots` are canonical (DefinitionRoots::roots()).
/// A program in a folder of its own below its definition, which is not called bin and is no root, brings that folder, unless its definition says
/// `files:`. Errors: file_unreadable, where `files:` names nothing; path_outside_root; file_too_large, over kBundleFilesMax files.
[[nodiscard]] Result<std::map<std::string, ToolFiles>> tool_files(const lang::Package& package, const std::vector<std::filesystem::path>& roots);

/// Checks what programs say of tools that definitions name, pins the files, and hands over what actors::Submission::programs carries: contents by
/// hash. Errors: those of check_descriptions and tool_files; file_unreadable; file_too_large, over lang::kProgramBytesMax for one tool.
[[nodiscard]] Result<std::map<std::string, std::string>> pin_tool_files(lang::Package& package, const DefinitionRoots& roots);

}  // namespace catena::cli
