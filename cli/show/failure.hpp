#pragma once
// Why something failed, told once: chains that started each other have the same cause at each level, and their errors hold all of it.
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"

namespace catena::cli {

struct Failure {
  Error error = {};                  // the outermost that says something of its own, with the innermost as its one cause where they differ
  std::vector<ChainId> chains = {};  // those that failed below, from the outermost to the innermost
};
[[nodiscard]] Failure told_once(const Error& error);

/// The error with a note that names the innermost chain and how to look at it. `where`: the place as given, for the command.
[[nodiscard]] Error with_path(const Error& error, const std::string& where);

/// The last lines that the tool wrote to stderr, as the error has them, without control characters.
[[nodiscard]] std::vector<std::string> stderr_lines(const Error& error);

/// "[code] message".
[[nodiscard]] std::string one_line(const Error& error);

}  // namespace catena::cli
