#pragma once
// The programs that a submission takes along: those of exec: and serve: endpoints that lie in a tool root or in the folder of a definition.
// What was found on PATH, or is named by an absolute path elsewhere, is expected on every worker.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lang/package/package.hpp"

namespace catena::cli {

struct Pinned {
  std::string hash;  // SHA-256 of the content
  std::string content;
};

/// By absolute path, as endpoints name them. `roots` are canonical (DefinitionRoots::roots()).
/// Errors: file_unreadable; file_too_large, over lang::kProgramBytesMax.
[[nodiscard]] Result<std::map<std::string, Pinned>> programs_of(const lang::Package& package, const std::vector<std::filesystem::path>& roots);

/// Pins them, and hands over what actors::Submission::programs carries: contents by hash.
[[nodiscard]] Result<std::map<std::string, std::string>> pin_programs_of(lang::Package& package, const std::vector<std::filesystem::path>& roots);

}  // namespace catena::cli
