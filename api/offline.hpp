#pragma once
// Answers of the interface without a server: what a route that reads the store would answer, over questions at hand.
#include <string>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/result.hpp"
#include "client/questions.hpp"

namespace catena::api {

/// Of GET at this target. Errors: those of the route; feature_unavailable, for one that asks more than the store.
[[nodiscard]] Result<Json> answer_offline(client::Questions& questions, const Clock& clock, const std::string& target);

}  // namespace catena::api
