#pragma once
// The fuzz targets. Each is a function of any bytes, in the file NAME_fuzz.cpp, that aborts when one of its rules (check.hpp) is broken.
#include <array>
#include <string_view>

// One row a target.
#define CATENA_FUZZ_TARGETS(X) \
  X(client_calls)              \
  X(composite)                 \
  X(conditions)                \
  X(cron) X(expr) X(http_request) X(json) X(jwt) X(notes) X(package) X(pipeline) X(plan) X(preamble) X(reference) X(template) X(wire) X(yaml)

namespace catena::fuzz {

#define CATENA_FUZZ_DECLARE(name) void fuzz_##name(std::string_view text);
CATENA_FUZZ_TARGETS(CATENA_FUZZ_DECLARE)
#undef CATENA_FUZZ_DECLARE

struct Target {
  std::string_view name;
  void (*run)(std::string_view text);
};

#define CATENA_FUZZ_ROW(name) Target{#name, fuzz_##name},
inline constexpr std::array kTargets{CATENA_FUZZ_TARGETS(CATENA_FUZZ_ROW)};
#undef CATENA_FUZZ_ROW

}  // namespace catena::fuzz
