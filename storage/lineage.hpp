#pragma once
// Which lives a store has had: each start of a coordinator begins one, under a word that nobody else makes. Who worked for the store
// remembers the life and how far it was durable; a store that knows less was put back to an earlier state.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/commit_proof.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

struct Life {
  std::string word;
  std::uint64_t began_at = 0;  // commit
  bool accepts_loss = false;   // a person knew that the store had lost something when this life began
  friend bool operator==(const Life&, const Life&) = default;
};

/// The word of a life that begins now. Its time tells whether a life that the store does not know began before or after an operator accepted a
/// loss: the store's own numbers say nothing of that, they go back with it.
[[nodiscard]] std::string life_word(UnixMillis now, std::string_view random);

/// Pure.
class Lineage {
 public:
  enum class Memory {
    ours,           // the store has all of it
    lost,           // the store lacks some of it
    lost_knowingly  // and a person has accepted that since
  };

  /// Without a secret nobody can prove what it was told.
  explicit Lineage(std::vector<Life> lives, std::string secret = {}) : lives_{std::move(lives)}, secret_{std::move(secret)} {}
  /// Of the life at hand; empty: none has begun.
  [[nodiscard]] std::string_view word() const { return lives_.empty() ? std::string_view{} : std::string_view{lives_.back().word}; }
  /// What is to be thought of somebody who was told in that life that `commit` is durable; `durable_now`: in this life, now.
  [[nodiscard]] Memory memory_of(std::string_view word, std::uint64_t commit, std::uint64_t durable_now) const;
  /// That the worker was told in the life at hand that `commit` is durable.
  [[nodiscard]] std::string proof(std::string_view worker, std::uint64_t commit) const { return commit_proof(secret_, worker, word(), commit); }
  [[nodiscard]] bool proves(std::string_view proof, std::string_view worker, std::string_view life, std::uint64_t commit) const {
    return proves_commit(proof, secret_, worker, life, commit);
  }

 private:
  std::vector<Life> lives_;  // in their order
  std::string secret_;       // of the store
};

struct NewLife {
  std::string word;
  std::string fresh_secret;  // random; the store's from now on, if it has none
  bool accepts_loss = false;
};

/// Begins a life where the store ended before it was opened: nothing was written since but the batch of the opening. Errors: storage_corrupt, and
/// those of the store.
[[nodiscard]] Result<Lineage> begin_life(Kv& kv, NewLife life);

}  // namespace catena::storage
