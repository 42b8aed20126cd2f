#pragma once
// What a tool's process may know of the worker's environment. Everything else, secrets first of all, stays out.
#include <string>
#include <vector>

namespace catena::worker {

/// "NAME=value" of the variables that are let through: PATH, HOME, LANG, LC_ALL, TZ, TMPDIR, USER.
[[nodiscard]] std::vector<std::string> inherited_environment();

}  // namespace catena::worker
