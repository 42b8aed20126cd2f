#pragma once
// What an order says of files: which fields of its tool are paths in the file store, and where its program and arguments lie in their bundle.
#include <string>
#include <vector>

#include "actors/protocol.hpp"
#include "lang/package/package.hpp"

namespace catena::coordinator {

/// Fields whose values are paths in the file store.
[[nodiscard]] std::vector<std::string> file_names(const lang::Schema& schema);
[[nodiscard]] std::vector<actors::PlaceInBundle> places_in_bundle(const lang::Package& package, const lang::Endpoint& endpoint);

}  // namespace catena::coordinator
