#include "storage/submission_keys.hpp"

#include <fmt/format.h>

#include "base/codec.hpp"
#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {

template <class V>
void fields(V& v, KeyedSubmission& x) {
  v("chain", x.chain), v("started_at", x.started_at), v("submitted_at", x.submitted_at), v("expires_at", x.expires_at), v("digests", x.digests);
}

void put_submission(Batch& batch, std::string_view key, const KeyedSubmission& submission) {
  put_record(batch, keys::submission(key), RecordKind::submission, codec::to_bytes(submission));
  put_record(batch, keys::submission_end(submission.expires_at, key), RecordKind::submission, {});
}

Result<std::optional<KeyedSubmission>> load_submission(const Kv& kv, std::string_view key) {
  const auto at = keys::submission(key);
  const auto record = load_record(kv, at, RecordKind::submission);
  if (!record) return fail(record.error());
  if (!*record) return std::nullopt;
  auto submission = codec::from_bytes<KeyedSubmission>(**record);
  if (submission) return std::move(*submission);
  return fail(Code::storage_corrupt,
              fmt::format("the submission stored at {} cannot be read; restore the data directory from a backup", keys::printable(at)));
}

Result<std::optional<UnixMillis>> remove_expired_submissions(const Kv& kv, Batch& batch, UnixMillis by, std::size_t most,
                                                             const std::function<bool(const std::string& key)>& in_use) {
  std::optional<UnixMillis> next;
  std::size_t count = 0;
  Result<void> outcome;
  const auto range = keys::submission_ends();
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view end, std::string_view) {
    const auto expires_at = keys::time_of_submission_end(end);
    if (expires_at > by || count == most) {
      next = next.value_or(expires_at);
      return false;
    }
    ++count;
    const auto key = keys::key_of_submission_end(end);
    if (key && in_use(*key)) {
      next = next.value_or(expires_at);
      return true;
    }
    batch.remove(end);
    if (!key) return true;
    const auto submission = load_submission(kv, *key);
    if (!submission && submission.error().code == Code::storage_io) {
      outcome = fail(submission.error());
      return false;
    }
    // The key may have been used again since it expired.
    const bool later = submission && *submission && (*submission)->expires_at > by;
    if (!later) batch.remove(keys::submission(*key));
    return true;
  });
  if (!scanned) return fail(scanned.error());
  if (!outcome) return fail(outcome.error());
  return next;
}

}  // namespace catena::storage
