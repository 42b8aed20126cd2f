#pragma once
// Whether a store holds what it says: each record is whole, each journal has no gap and comes to what its summary says, the index says what the
// summaries say, and everything that is named is there with the content of its hash. Reads only.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "lang/package/package.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

struct Verification {
  std::uint64_t records = 0;
  std::uint64_t chains = 0;
  std::uint64_t contents = 0;         // packages, values, programs and files
  std::uint64_t problems_all = 0;     // how many there are
  std::vector<std::string> problems;  // the first of them, in words
};

/// `tell`: what is looked at now, in words; answers false to stop.
using VerifyWatcher = std::function<bool(const std::string& what)>;
/// Errors: storage_io, and cancelled where it was stopped. What is damaged is a problem and no error.
[[nodiscard]] Result<Verification> verify_store(const storage::Kv& kv, const lang::Catalog& catalog, const VerifyWatcher& tell = {});

}  // namespace catena::coordinator
