#pragma once
// The actor of one diagnosis: asks supervisor and dispatcher for what no reader can see, judges and ends.
#include <caf/actor.hpp>
#include <caf/behavior.hpp>
#include <caf/fwd.hpp>
#include <memory>
#include <vector>

#include "api/desk.hpp"

namespace catena::api {

/// Sends ErrandDone to the desk, with the diagnosis as JSON. An actor that does not answer in time leaves its part not known.
caf::behavior diagnosis_asker(caf::event_based_actor* self, const caf::actor& desk, std::shared_ptr<const coordinator::Services> services,
                              std::shared_ptr<ErrandDone> done);

}  // namespace catena::api
