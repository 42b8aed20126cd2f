// The audit log, a page at a time.
#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "coordinator/inspect/inspector.hpp"

namespace catena::coordinator {
namespace {

constexpr std::size_t kAuditEntryCost = 64;  // bytes beside its texts

bool fits_pattern(const std::string& pattern, const std::string& text) { return pattern.empty() || ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0; }

bool is_about(const storage::AuditEntry& entry, const std::string& pattern) {
  if (pattern.empty() || !entry.subject.empty() || entry.act != "remove") return fits_pattern(pattern, entry.subject);
  std::istringstream several{entry.detail};
  for (std::string one; several >> one;) {
    if (fits_pattern(pattern, one)) return true;
  }
  return false;
}

bool is_entry_wanted(const storage::AuditEntry& entry, const ReadAudit& ask) {
  return entry.at >= ask.since && (ask.act.empty() || entry.act == ask.act) && is_about(entry, ask.subject) &&
         (fits_pattern(ask.who, entry.by.name) || fits_pattern(ask.who, entry.by.id));
}

std::size_t entry_bytes(const storage::AuditEntry& entry) {
  return kAuditEntryCost + entry.by.name.size() + entry.by.id.size() + entry.act.size() + entry.subject.size() + entry.detail.size() +
         entry.reason.size();
}

}  // namespace

Result<AuditPage> Inspector::answer(const ReadAudit& ask) {
  AuditPage page;
  page.next = std::max(ask.first, std::uint64_t{1});
  const std::size_t most = ask.limit == 0 ? kPageRowsMax : std::min(ask.limit, kPageRowsMax);
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  const auto scanned = storage::scan_audit_entries(kv_, page.next, [&](std::uint64_t number, const storage::AuditEntry& entry) {
    if (page.rows.size() == most || bytes > kPageBytesMax || looked_at == kNoticesLookedAtMax) {
      page.more = true;
      return false;
    }
    ++looked_at;
    page.next = number + 1;
    if (!is_entry_wanted(entry, ask)) return true;
    bytes += entry_bytes(entry);
    page.rows.push_back({number, entry});
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return page;
}

}  // namespace catena::coordinator
