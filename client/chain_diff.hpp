#pragma once
// How two chains differ: all of it, and the form that the command line and the HTTP interface share.
#include "base/json.hpp"
#include "client/questions.hpp"

namespace catena::client {

/// The answers of all pages in one. Errors: those of coordinator::DiffChains.
[[nodiscard]] Result<coordinator::ChainDiff> whole_diff(Questions& questions, const ChainId& chain, const ChainId& other);

[[nodiscard]] Json to_json(const coordinator::ChainDiff& diff);

}  // namespace catena::client
