#include "base/failpoint.hpp"

#ifdef CATENA_FAILPOINTS
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

namespace catena {
namespace {

struct Armed {
  std::string point;
  long at = 1;
};

Armed read_armed() {
  const char* setting = std::getenv("CATENA_FAILPOINT_AT");
  if (setting == nullptr) return {};
  const std::string text{setting};
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return {text, 1};
  return {text.substr(0, colon), std::strtol(text.c_str() + colon + 1, nullptr, 10)};
}

}  // namespace

void failpoint_passed(const char* name) {
  static const Armed armed = read_armed();
  static std::atomic<long> passed{0};
  if (armed.point != name) return;
  if (++passed == armed.at) ::kill(::getpid(), SIGKILL);
}

}  // namespace catena
#endif
