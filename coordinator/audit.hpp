#pragma once
// What the audit log says of what persons ask. An entry is handed to the journal before what it is about is handed to anybody, so it is durable
// before, or together with, the first thing that comes of it. It says what was asked, also of what is refused then.
#include <string>
#include <string_view>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/client_calls.hpp"
#include "coordinator/services.hpp"
#include "storage/audit_store.hpp"

namespace catena::coordinator {

/// Without who and when. A removal of many chains may be several entries, so that each is named in one.
[[nodiscard]] storage::AuditEntry audit_entry(const actors::Control& control);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::ForkChain& fork);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::ResumeChain& resume);
[[nodiscard]] std::vector<storage::AuditEntry> audit_entry(const actors::RemoveChains& remove);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::NodeControl& control);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::CreateToken& wish);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::RevokeToken& revoke);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::ReplayDelivery& replay);

/// None for what only reads.
[[nodiscard]] std::vector<storage::AuditEntry> audit_entry(const FileStoreCall& file);
[[nodiscard]] storage::AuditEntry audit_entry(const PutDefinitionCall& put);
[[nodiscard]] storage::AuditEntry audit_entry(const RemoveDefinitionCall& remove);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::PutSchedule& put);
[[nodiscard]] storage::AuditEntry audit_entry(const actors::OrderSchedule& order);
/// Of what has no message of its own. `detail` and `reason` may be empty.
[[nodiscard]] storage::AuditEntry audit_entry(std::string_view act, std::string subject, std::string detail, std::string_view reason);

/// Puts the name of who asked where the chain's history keeps it.
void sign(actors::Control& control, const storage::Asker& by);
void sign(actors::ForkChain& fork, const storage::Asker& by);

/// To the journal.
void hand_audit(const Services& services, const storage::Asker& by, storage::AuditEntry entry);
void hand_audit(const Services& services, const storage::Asker& by, std::vector<storage::AuditEntry> entries);

template <class Asked>
concept Audited = requires(const Asked& asked) {
  audit_entry(asked);
};

/// Nothing for what is no control, such as a question or a submission, and for what is only to be checked.
template <class Asked>
void note_audit(const Services& services, const storage::Asker& by, const Asked& asked) {
  if constexpr (Audited<Asked>) {
    if constexpr (requires { asked.only_check; }) {
      if (asked.only_check) return;
    }
    if (services.settings.audit_keep == 0 || !services.journal) return;
    hand_audit(services, by, audit_entry(asked));
  }
}

}  // namespace catena::coordinator
