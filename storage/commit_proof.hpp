#pragma once
// That a worker was told of a commit can be proved: with the number goes a proof which only the store's secret makes. A worker that shows
// both later is believed; one that makes up a number is not. The secret stays with the store, and so with every copy of it.
#include <cstdint>
#include <string>
#include <string_view>

namespace catena::storage {

inline constexpr std::size_t kCommitProofBytes = 16;

/// Pure. Empty without a secret: then nothing can be proved.
[[nodiscard]] std::string commit_proof(std::string_view secret, std::string_view worker, std::string_view life, std::uint64_t commit);
/// Whether `proof` is the one of these.
[[nodiscard]] bool proves_commit(std::string_view proof, std::string_view secret, std::string_view worker, std::string_view life,
                                 std::uint64_t commit);

}  // namespace catena::storage
