#pragma once
// inputSchema of a pipeline.
#include "lang/dialect/shared/object_reader.hpp"
#include "lang/program/program.hpp"

namespace catena::lang {

/// What the pipeline takes: its properties as fields, which callers and lists of tools see, and the JSON Schema that decides. Without one,
/// anything.
[[nodiscard]] Schema read_input_schema(ObjectReader& definition, Report& report);

}  // namespace catena::lang
