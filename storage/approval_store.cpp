#include "storage/approval_store.hpp"

#include <fmt/format.h>

#include <charconv>

#include "storage/keys.hpp"
#include "storage/record.hpp"

namespace catena::storage {
namespace {

/// The key that `approval_place` tells.
std::optional<std::string> key_of_place(std::string_view place) {
  const auto* at = place.data();
  const auto* const end = at + place.size();
  UnixMillis since = 0;
  StepIndex step = 0;
  const auto time = std::from_chars(at, end, since);
  if (time.ec != std::errc{} || time.ptr == end || *time.ptr != '.') return std::nullopt;
  const auto index = std::from_chars(time.ptr + 1, end, step);
  if (index.ec != std::errc{} || index.ptr == end || *index.ptr != '.') return std::nullopt;
  return keys::approval(since, ChainId{std::string{index.ptr + 1, end}}, step);
}

}  // namespace

void put_approval(Batch& batch, const WaitingApproval& approval) {
  put_record(batch, keys::approval(approval.since, approval.chain, approval.index), RecordKind::approval, codec::to_bytes(approval));
}

void remove_approval(Batch& batch, UnixMillis since, const ChainId& chain, StepIndex step) { batch.remove(keys::approval(since, chain, step)); }

std::string approval_place(const WaitingApproval& approval) { return fmt::format("{}.{}.{}", approval.since, approval.index, approval.chain.value); }

Result<void> scan_approvals(const Kv& kv, std::string_view place, const ApprovalVisitor& visitor) {
  std::string from;
  if (!place.empty()) {
    auto known = key_of_place(place);
    if (!known) return fail(Code::usage, fmt::format("'{}' is no cursor of a list of approvals", keys::printable(place.substr(0, 80))));
    from = std::move(*known);
  }
  const auto range = keys::approvals(from);
  Result<void> read;
  const auto scanned = kv.scan(range.from, range.to, [&](std::string_view key, std::string_view value) {
    const auto payload = open_record(RecordKind::approval, value, key);
    const auto approval = payload ? codec::from_bytes<WaitingApproval>(*payload) : std::nullopt;
    if (!payload) read = fail(payload.error());
    if (payload && !approval)
      read = fail(Code::storage_corrupt,
                  fmt::format("what waits for approval at {} cannot be read; restore the data directory from a backup", keys::printable(key)));
    return approval && visitor(*approval);
  });
  if (!scanned) return fail(scanned.error());
  return read;
}

}  // namespace catena::storage
