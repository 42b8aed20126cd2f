#pragma once
// What may be asked about steps that wait for approval. A part of questions.hpp.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.hpp"
#include "storage/approval_store.hpp"

namespace catena::coordinator {

struct ApprovalPage {
  static constexpr std::string_view kKind = "approval_page";
  std::vector<storage::WaitingApproval> rows = {};
  std::string next = {};  // the page behind this place is the next; empty: there is none
};
/// The longest waiting first.
struct ListApprovals {
  using Answer = ApprovalPage;
  static constexpr std::string_view kKind = "list_approvals";
  std::string after = {};  // a place; empty: from the first on
  std::uint32_t limit = 0;
  std::string namespace_ = {};  // only of chains of this one; empty: of all
  std::string about = {};       // only of the chain with this id, and of those below it; empty: of all
  std::string who = {};         // only those that these words are to approve; empty: all
};

template <class V>
void fields(V& v, ApprovalPage& x) {
  v("rows", x.rows), v("next", x.next);
}
template <class V>
void fields(V& v, ListApprovals& x) {
  v("after", x.after), v("limit", x.limit), v("namespace", x.namespace_), v("about", x.about), v("who", x.who);
}

}  // namespace catena::coordinator
