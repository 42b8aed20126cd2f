#include "base/descriptor_io.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace catena {

int read_all(int descriptor, std::size_t most, std::string& content) {
  constexpr std::size_t kPieceBytes = 256UL << 10U;
  std::size_t total = 0;
  while (total <= most) {
    const auto had = content.size();
    content.resize(had + std::min(kPieceBytes, most + 1 - total));
    const auto count = ::read(descriptor, content.data() + had, content.size() - had);
    const int reason = errno;
    const auto got = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    content.resize(had + got);
    total += got;
    if (count == 0) return 0;
    if (count < 0 && reason != EINTR) return reason;
  }
  return 0;
}

int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace catena
