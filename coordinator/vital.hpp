#pragma once
// Actors that a process cannot do without. When one of them throws, memory that is short included, or ends in any way but in order, the process
// ends: a new start goes on from what is durable, while a process without its supervisor, its dispatcher, its journal or its front would stand
// still and look alive.
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <exception>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace catena::coordinator {

/// Ends the process; `what` is who failed. Is called where there may be no memory left, and does not return.
using VitalFailed = std::function<void(std::string_view what)>;

class Vitals {
 public:
  Vitals(caf::actor_system& system, VitalFailed failed) : system_{system}, failed_{std::move(failed)} {}

  /// Spawns `make(self, arguments...)`, watched. `what` outlives the actor. The actor ends in order with user_shutdown, and only so.
  template <caf::spawn_options Options = caf::no_spawn_options, class State, class... Parameters, class... Arguments>
  caf::actor spawn(std::string_view what, caf::behavior (*make)(caf::stateful_actor<State>*, Parameters...), Arguments&&... arguments) {
    auto actor = system_.spawn<Options>(
        [failed = failed_, what, make](caf::stateful_actor<State>* self, std::decay_t<Arguments>... values) -> caf::behavior {
          self->set_exception_handler([failed, what](std::exception_ptr&) -> caf::error {
            failed(what);
            return caf::exit_reason::unhandled_exception;
          });
          return make(self, std::move(values)...);
        },
        std::forward<Arguments>(arguments)...);
    watch(what, actor);
    return actor;
  }

 private:
  void watch(std::string_view what, const caf::actor& actor);

  caf::actor_system& system_;
  VitalFailed failed_;
  std::vector<caf::actor> watches_;  // an actor that nobody holds is collected, and watches nothing
};

}  // namespace catena::coordinator
