#pragma once
// What was submitted under a key that its client chose (`--idempotency-key`), so that the same submission once more makes no second chain. The record
// is written in the batch that begins the chain, and kept for a time of its own, also when the chain is removed.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

struct KeyedSubmission {
  ChainId chain;
  UnixMillis started_at = 0;  // of the chain: another one under its id, after it was removed, started at another time
  UnixMillis submitted_at = 0;
  UnixMillis expires_at = 0;
  std::map<std::string, std::string> digests;  // of what was submitted, by what it is: "arguments", "labels", …

  friend bool operator==(const KeyedSubmission&, const KeyedSubmission&) = default;
};

void put_submission(Batch& batch, std::string_view key, const KeyedSubmission& submission);
/// Also of a key that has expired and is not collected yet.
[[nodiscard]] Result<std::optional<KeyedSubmission>> load_submission(const Kv& kv, std::string_view key);

/// Removes keys that have expired by then, those that did first, up to `most` of them; not one that is `in_use`, because somebody is about to write
/// it again. Answers when the next expires, which may be before `by`; nothing when no other is kept.
[[nodiscard]] Result<std::optional<UnixMillis>> remove_expired_submissions(const Kv& kv, Batch& batch, UnixMillis by, std::size_t most,
                                                                           const std::function<bool(const std::string& key)>& in_use);

}  // namespace catena::storage
