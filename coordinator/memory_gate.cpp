#include "coordinator/memory_gate.hpp"

#include <fmt/format.h>

namespace catena::coordinator {
namespace {

std::string megabytes(std::uint64_t bytes) { return fmt::format("{} MB", bytes / 1'000'000); }

}  // namespace

std::string MemoryGate::words() const {
  const auto used = megabytes(resident_bytes_);
  if (!closed()) return fmt::format("the process uses {} of memory: new chains are taken again", used);
  return fmt::format("the process uses {} of the {} of memory that it may (coordinator.memory_max): no new chains until it is below {}", used,
                     megabytes(bytes_max_), megabytes(opens_below()));
}

Error MemoryGate::refusal() const {
  return make_error(Code::memory_short, fmt::format("the coordinator uses {} of memory and takes no new chains until it is below {}; try again later",
                                                    megabytes(resident_bytes_), megabytes(opens_below())));
}

}  // namespace catena::coordinator
