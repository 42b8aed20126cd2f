#pragma once
// What a target holds to be true. Assertions of the release build would be gone.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace catena::fuzz {

inline void check(bool holds, const char* rule, std::string_view detail = {}) {
  if (holds) return;
  std::fprintf(stderr, "\nbroken: %s: %s\n", rule, std::string{detail}.c_str());
  std::abort();
}

}  // namespace catena::fuzz
