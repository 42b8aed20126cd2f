#pragma once
// Orders and what came of them, as tests compare them.
#include <cstdint>
#include <vector>

#include "actors/messages.hpp"
#include "base/error.hpp"

namespace catena::worker::test {

using Items = std::vector<std::uint32_t>;

/// The code of its error; internal where it has none.
inline Code code_of(const actors::AttemptResult& result) { return result.ok ? Code::internal : error_from_json(Json::parse(result.text)).code; }

}  // namespace catena::worker::test
