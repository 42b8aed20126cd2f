#include "cli/processes/inspection.hpp"

#include <sys/prctl.h>

namespace catena::cli {

void set_inspection(Inspection inspection) { ::prctl(PR_SET_DUMPABLE, inspection == Inspection::allowed ? 1 : 0, 0, 0, 0); }

}  // namespace catena::cli
