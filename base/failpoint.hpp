#pragma once
// Places where a test can end the process. They stand before and after each durable step and are compiled out of release builds.
// CATENA_FAILPOINT_AT="journal.before_sync:3" ends the process by SIGKILL when that point is passed the third time.
#ifdef CATENA_FAILPOINTS
namespace catena {
void failpoint_passed(const char* name);
}  // namespace catena
#define CATENA_FAILPOINT(name) ::catena::failpoint_passed(name)
#else
#define CATENA_FAILPOINT(name) static_cast<void>(0)
#endif
