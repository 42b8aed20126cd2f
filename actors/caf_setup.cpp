#include "actors/caf_setup.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>

namespace catena::actors {
SystemConfig::SystemConfig(std::size_t threads) {
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-throughput", std::size_t{50});
  set("scheduler.max-threads", threads);
  set("logger.verbosity", caf::atom("quiet"));
}

}  // namespace catena::actors
