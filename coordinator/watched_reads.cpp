#include "coordinator/watched_reads.hpp"

#include <caf/sec.hpp>

namespace catena::coordinator {

// Not that of an exception: no handler of CAF opens files.
caf::error unread(const Error& error) { return caf::make_error(caf::sec::cannot_open_file, error.message); }

bool is_unread(const caf::error& reason) { return reason == caf::sec::cannot_open_file; }

}  // namespace catena::coordinator
