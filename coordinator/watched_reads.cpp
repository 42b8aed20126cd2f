#include "coordinator/watched_reads.hpp"

#include <caf/sec.hpp>

namespace catena::coordinator {

// A code that CAF itself never ends an actor with: those of exceptions differ.
caf::error unread(const Error& error) { return caf::make_error(caf::sec::cannot_open_file, error.message); }

bool is_unread(const caf::error& reason) { return reason == caf::sec::cannot_open_file; }

}  // namespace catena::coordinator
