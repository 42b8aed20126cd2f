#include "coordinator/watched_reads.hpp"

#include <caf/sec.hpp>

namespace catena::coordinator {

caf::error unread(const Error& error) { return caf::make_error(caf::sec::runtime_error, error.message); }

}  // namespace catena::coordinator
