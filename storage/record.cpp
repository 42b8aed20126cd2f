#include "storage/record.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"
#include "storage/bytes.hpp"
#include "storage/keys.hpp"

namespace catena::storage {
namespace {

// format (1) kind (1) length (1 to 10, seven bits a byte, low first) payload checksum of all before it (4, big-endian)
constexpr std::uint8_t kFormat = 1;
constexpr std::size_t kChecksumSize = sizeof(std::uint32_t);
constexpr std::size_t kRecordSizeMin = 2 + 1 + kChecksumSize;

void append_length(std::string& out, std::size_t length) {
  for (; length >= 0x80U; length >>= 7U) out.push_back(static_cast<char>((length & 0x7fU) | 0x80U));
  out.push_back(static_cast<char>(length));
}

/// Takes a length off the front; false when it does not end.
bool take_length(std::string_view& bytes, std::size_t& length) {
  length = 0;
  for (unsigned shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    length |= std::size_t{byte & 0x7fU} << shift;
    if (byte < 0x80U) return true;
  }
  return false;
}

tl::unexpected<Error> damaged_record(RecordKind kind, std::string_view key, std::string_view why) {
  return fail(Code::storage_corrupt,
              fmt::format("the {} stored at {} is damaged ({}); restore the data directory from a backup", name(kind), keys::printable(key), why));
}

}  // namespace

std::string_view name(RecordKind kind) {
  switch (kind) {
    case RecordKind::meta: return "meta record";
    case RecordKind::package: return "package";
    case RecordKind::summary: return "chain summary";
    case RecordKind::event: return "journal event";
    case RecordKind::events: return "journal record";
    case RecordKind::log: return "log segment";
    case RecordKind::notice: return "notice of the feed";
    case RecordKind::notices: return "notices of the feed";
    case RecordKind::audit: return "entry of the audit log";
    case RecordKind::delivery: return "webhook delivery";
    case RecordKind::schedule: return "schedule";
    case RecordKind::schedule_state: return "state of a schedule";
    case RecordKind::delivery_body: return "body of a webhook delivery";
    case RecordKind::item: return "ledger item";
    case RecordKind::inputs: return "inputs chunk";
    case RecordKind::checkpoint: return "checkpoint";
    case RecordKind::blob: return "blob";
    case RecordKind::index: return "index entry";
    case RecordKind::file: return "file record";
    case RecordKind::file_version: return "file version";
    case RecordKind::file_put: return "file put mark";
    case RecordKind::removal: return "removal mark";
    case RecordKind::submission: return "submission";
    case RecordKind::approval: return "approval that is waited for";
    case RecordKind::task_checkpoint: return "checkpoint of a task";
    case RecordKind::task_progress: return "progress of a task";
  }
  return "record";
}

void append_record(std::string& out, RecordKind kind, std::initializer_list<std::string_view> parts) {
  const auto start = out.size();
  std::size_t length = 0;
  for (const auto part : parts) length += part.size();
  out.push_back(static_cast<char>(kFormat));
  out.push_back(static_cast<char>(kind));
  append_length(out, length);
  for (const auto part : parts) out.append(part);
  append_be32(out, checksum(std::string_view{out}.substr(start)));
}

std::string record(RecordKind kind, std::string_view payload) {
  std::string out;
  append_record(out, kind, {payload});
  return out;
}

Result<std::string_view> open_record(RecordKind kind, std::string_view bytes, std::string_view key) {
  if (bytes.size() < kRecordSizeMin) return damaged_record(kind, key, "too short");
  const auto body = bytes.substr(0, bytes.size() - kChecksumSize);
  // The checksum comes first: only an intact record may say that it is of another format or kind.
  if (read_be32(bytes.substr(body.size())) != checksum(body)) return damaged_record(kind, key, "its checksum does not match");
  const auto format = static_cast<std::uint8_t>(body[0]);
  if (format != kFormat) {
    return fail(Code::storage_format, fmt::format("the {} stored at {} has record format {}, this catena reads {}; use the version that "
                                                  "wrote this data directory, or a newer one",
                                                  name(kind), keys::printable(key), format, kFormat));
  }
  if (static_cast<RecordKind>(body[1]) != kind) return damaged_record(kind, key, "another kind of record stands in its place");
  auto payload = body.substr(2);
  std::size_t length = 0;
  if (!take_length(payload, length) || length != payload.size()) return damaged_record(kind, key, "its length is wrong");
  return payload;
}

void put_record(Batch& batch, std::string_view key, RecordKind kind, std::string_view payload) {
  batch.put_with(key, [&](std::string& out) { append_record(out, kind, {payload}); });
}

Result<std::optional<std::string>> load_record(const Kv& kv, std::string_view key, RecordKind kind) {
  auto found = kv.get(key);
  if (!found || !*found) return found;
  const auto payload = open_record(kind, **found, key);
  if (!payload) return fail(payload.error());
  return std::string{*payload};
}

}  // namespace catena::storage
