// What a worker can prove that it was told.
#include "storage/commit_proof.hpp"

#include <catch2/catch.hpp>

#include "base/hash.hpp"

namespace catena::storage::test {
namespace {

TEST_CASE("a proof holds for one worker, one life, one commit and one secret") {
  const auto proof = commit_proof("secret", "w1", "life", 7);
  CHECK(proof.size() == kCommitProofBytes);
  CHECK(proves_commit(proof, "secret", "w1", "life", 7));
  CHECK_FALSE(proves_commit(proof, "secret", "w1", "life", 8));
  CHECK_FALSE(proves_commit(proof, "secret", "w1", "lives", 7));
  CHECK_FALSE(proves_commit(proof, "secret", "w2", "life", 7));
  CHECK_FALSE(proves_commit(proof, "secrets", "w1", "life", 7));
  CHECK_FALSE(proves_commit(proof.substr(1), "secret", "w1", "life", 7));
  CHECK_FALSE(proves_commit({}, "secret", "w1", "life", 7));
}

TEST_CASE("what is proved of one worker and life says nothing of others whose names join to the same text") {
  const auto proof = commit_proof("secret", "w1", "2life", 7);
  CHECK_FALSE(proves_commit(proof, "secret", "w12", "life", 7));
  CHECK_FALSE(proves_commit(commit_proof("secret", "w", " life", 7), "secret", "w ", "life", 7));
}

TEST_CASE("without a secret nothing is proved") {
  CHECK(commit_proof({}, "w1", "life", 7).empty());
  CHECK_FALSE(proves_commit({}, {}, "w1", "life", 7));
}

TEST_CASE("the keyed hash is that of RFC 4231, and of a key that is empty") {
  const auto hex = [](const std::string& bytes) {
    std::string text;
    for (const char byte : bytes) {
      text += "0123456789abcdef"[static_cast<unsigned char>(byte) >> 4U];
      text += "0123456789abcdef"[static_cast<unsigned char>(byte) & 15U];
    }
    return text;
  };
  CHECK(hex(hmac_sha256("Jefe", "what do ya want for nothing?")) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex(hmac_sha256({}, {})) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
  CHECK(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")) ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace
}  // namespace catena::storage::test
