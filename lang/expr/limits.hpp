#pragma once
// Bounds of expressions: none can hang, overflow the stack or fill the memory.
#include <cstddef>
#include <cstdint>

namespace catena::lang::expr {

inline constexpr std::size_t kTextBytesMax = 64UL << 10U;
inline constexpr std::uint32_t kDepthMax = 128;            // of a tree
inline constexpr std::uint32_t kTextLevelsMax = 8;         // strings that hold expressions that hold strings …
inline constexpr std::uint32_t kEvaluationDepthMax = 256;  // of evaluation, through texts that come from variables
inline constexpr int kValueDepthMax = 200;                 // as of documents

struct Limits {
  std::uint64_t steps_max = 10'000'000;
  std::uint64_t bytes_max = 256UL << 20U;  // of all values made on the way, not only of the result
};

}  // namespace catena::lang::expr
