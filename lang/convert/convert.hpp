#pragma once
// A pipeline, a composite or a plan as a definition of the tool dialect that gives the same result with the same executions. What the tool
// dialect cannot say is reported, all of it at once; nothing is guessed.
#include <string>
#include <string_view>
#include <vector>

#include "lang/package/package.hpp"

namespace catena::lang {

struct Conversion {
  std::string text;             // JSON, to be read by people
  std::vector<Error> warnings;  // what is the same only as long as nothing unusual happens
};

/// Errors: those of load_package for the definition at `path`; not_convertible, each with its place.
[[nodiscard]] tl::expected<Conversion, Diagnostics> convert_to_tool(std::string_view path, const SourceFinder& finder, const Catalog& catalog);

}  // namespace catena::lang
