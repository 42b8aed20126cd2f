#pragma once
// The records of the engine as JSON: see base/fields.hpp.
#include "base/fields.hpp"
#include "engine/payload.hpp"
#include "engine/terms.hpp"

namespace catena {
class PackedValue;
}

namespace catena::engine {

// Those of this namespace would hide them.
using catena::pack;
using catena::unpack;

[[nodiscard]] Json pack(const Payload& payload);
void unpack(const Json& json, Payload& payload);
void unpack_bytes(const PackedValue& from, Payload& payload);

template <class V>
void fields(V& v, Terms& terms) {
  v("window", terms.window);
  v("tolerated", terms.tolerated);
  v("tolerated_milli", terms.tolerated_milli);
  v("timeout_ms", terms.timeout_ms);
  v("attempts", terms.attempts);
}

}  // namespace catena::engine
