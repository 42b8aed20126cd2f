#pragma once
// The records of the engine as JSON: see base/fields.hpp.
#include "base/fields.hpp"
#include "engine/payload.hpp"

namespace catena::engine {

// Those of this namespace would hide them.
using catena::pack;
using catena::unpack;

[[nodiscard]] Json pack(const Payload& payload);
void unpack(const Json& json, Payload& payload);

}  // namespace catena::engine
