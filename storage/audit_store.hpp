#pragma once
// The audit log: what persons asked of chains, workers and access tokens, in the order in which it was written. Numbers grow and are not used again.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/codec.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// How somebody came: with a command in the data directory, over a link of the cluster, over HTTP.
enum class AskedVia : std::uint8_t { local, cluster, http };
[[nodiscard]] constexpr std::uint32_t count_of(AskedVia) { return static_cast<std::uint32_t>(AskedVia::http) + 1; }
inline constexpr std::array kAskedViaNames{std::string_view{"local"}, std::string_view{"cluster"}, std::string_view{"http"}};
[[nodiscard]] constexpr std::string_view name(AskedVia via) { return kAskedViaNames[static_cast<std::size_t>(via)]; }

/// Who asks.
struct Asker {
  AskedVia via = AskedVia::local;
  std::string name = {};  // of the user, of the certificate, of the access token; empty: nobody has a name there
  std::string id = {};    // the address of a link, the id of an access token

  friend bool operator==(const Asker&, const Asker&) = default;
};

struct AuditEntry {
  UnixMillis at = 0;
  Asker by = {};
  std::string act = {};      // cancel, retry, drain, ...
  std::string subject = {};  // the chain, the worker, the token; empty: several, which `detail` names
  std::string detail = {};   // what of it
  std::string reason = {};   // why, in the words of who asked

  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

template <class V>
void fields(V& v, Asker& x) {
  v("via", x.via), v("name", x.name), v("id", x.id);
}
template <class V>
void fields(V& v, AuditEntry& x) {
  v("at", x.at), v("by", x.by), v("act", x.act), v("subject", x.subject), v("detail", x.detail), v("reason", x.reason);
}

void put_audit_entry(Batch& batch, std::uint64_t number, const AuditEntry& entry);
/// Those with first <= number < end go.
void remove_audit_entries(Batch& batch, std::uint64_t first, std::uint64_t end);

/// Entries from that number on, in order, until the visitor answers false. Errors: storage_corrupt where a record is damaged, and those of the store.
using AuditVisitor = std::function<bool(std::uint64_t number, const AuditEntry& entry)>;
[[nodiscard]] Result<void> scan_audit_entries(const Kv& kv, std::uint64_t first, const AuditVisitor& visitor);
/// Their numbers alone.
[[nodiscard]] Result<void> scan_audit_numbers(const Kv& kv, const std::function<bool(std::uint64_t number)>& visitor);

}  // namespace catena::storage
