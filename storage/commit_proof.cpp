#include "storage/commit_proof.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"

namespace catena::storage {

std::string commit_proof(std::string_view secret, std::string_view worker, std::string_view life, std::uint64_t commit) {
  if (secret.empty()) return {};
  // The sizes keep apart what two pairs of name and life have in common when they are joined.
  const auto claim = fmt::format("told {} {} {} {}{}", commit, worker.size(), life.size(), worker, life);
  return hmac_sha256(secret, claim).substr(0, kCommitProofBytes);
}

bool proves_commit(std::string_view proof, std::string_view secret, std::string_view worker, std::string_view life, std::uint64_t commit) {
  return !proof.empty() && same_bytes(proof, commit_proof(secret, worker, life, commit));
}

}  // namespace catena::storage
