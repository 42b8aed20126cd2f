#pragma once
// What may be asked about the audit log. A part of questions.hpp.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "base/time.hpp"
#include "storage/audit_store.hpp"

namespace catena::coordinator {

struct AuditRow {
  std::uint64_t number = 0;  // they grow, with gaps
  storage::AuditEntry entry = {};
};
struct AuditPage {
  static constexpr std::string_view kKind = "audit_page";
  std::vector<AuditRow> rows = {};
  std::uint64_t next = 1;  // what comes later begins there
  bool more = false;       // there is more already
};
/// In their order. Patterns have `*` and `?`; one that is empty fits all.
struct ReadAudit {
  using Answer = AuditPage;
  static constexpr std::string_view kKind = "read_audit";
  std::uint64_t first = 0;  // number
  std::uint32_t limit = 0;
  UnixMillis since = 0;
  std::string act = {};
  std::string subject = {};  // a pattern; fits also one of several that an entry is about
  std::string who = {};      // a pattern, for the name or the id of who asked
};

template <class V>
void fields(V& v, AuditRow& x) {
  v("number", x.number), v("entry", x.entry);
}
template <class V>
void fields(V& v, AuditPage& x) {
  v("rows", x.rows), v("next", x.next), v("more", x.more);
}
template <class V>
void fields(V& v, ReadAudit& x) {
  v("number", x.first), v("limit", x.limit), v("since", x.since), v("act", x.act), v("subject", x.subject), v("who", x.who);
}

}  // namespace catena::coordinator
