#pragma once
// Bounds on what comes in. Refusing is part of every interface; the numbers stand here, once.
#include <cstddef>
#include <cstdint>

namespace catena::limits {

inline constexpr std::size_t kDocumentBytesMax = 4UL << 20U;
inline constexpr int kNestingMax = 200;
inline constexpr std::size_t kStepsMax = 10'000;
inline constexpr std::uint32_t kCompositeDepthMax = 64;
inline constexpr std::uint32_t kVisitsMax = 10'000;
inline constexpr std::uint32_t kFanOutWidthMax = 100'000'000;
/// Values over this go to the blob store; journal, state and messages carry their hash.
inline constexpr std::size_t kInlineValueBytesMax = 64UL << 10U;
inline constexpr std::size_t kToolOutputBytesMax = 64UL << 20U;
inline constexpr std::size_t kToolStderrBytesKept = 64UL << 10U;
inline constexpr std::size_t kChainIdBytesMax = 1024;
inline constexpr std::size_t kSubmittedIdBytesMax = 200;   // leaves room for the ids of children
inline constexpr std::size_t kBatchBytesMax = 8UL << 20U;  // of submissions in one request
inline constexpr std::size_t kBatchLinesMax = 10'000;
inline constexpr std::size_t kWarningsKept = 100;
/// A chain that waits for longer goes on in another trace.
inline constexpr std::int64_t kTraceWaitMsMax = 15L * 60 * 1000;

}  // namespace catena::limits
