#include "actors/caf_setup.hpp"

#include <caf/all.hpp>

namespace catena::actors {

SystemConfig::SystemConfig(std::size_t threads) {
  add_message_types<caf::id_block::catena_protocol>();
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-throughput", std::size_t{50});
  set("scheduler.max-threads", threads);
  set("logger.verbosity", caf::atom("quiet"));
}

}  // namespace catena::actors
