#pragma once
// Steps that wait for approval, in the order in which they began to: what people look through, beside the chains' own records.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "storage/kv.hpp"

namespace catena::storage {

/// One a step, however many of its items wait. Of bounded size.
struct WaitingApproval {
  ChainId chain;
  std::string step;  // its id
  StepIndex index = 0;
  std::string name = {};        // of the chain's definition
  std::string namespace_ = {};  // of the chain
  UnixMillis since = 0;
  UnixMillis until = 0;         // 0: it waits for good
  std::string on_timeout = {};  // fail, approve or reject
  std::string who = {};
  bool allow_edit = false;
  std::string schema = {};  // JSON, of what may be edited; empty: there is none, or it is too large
  bool fan_out = false;
  std::uint32_t waiting = 1;          // items
  std::string items = {};             // of a fan-out the first of them, such as 0-9,12
  std::string arguments = {};         // JSON, or its beginning; of a fan-out those that all items share
  std::uint64_t arguments_bytes = 0;  // of all of it
  friend bool operator==(const WaitingApproval&, const WaitingApproval&) = default;
};
template <class V>
void fields(V& v, WaitingApproval& x) {
  v("chain", x.chain), v("step", x.step), v("index", x.index), v("name", x.name), v("namespace", x.namespace_), v("since", x.since),
      v("until", x.until), v("on_timeout", x.on_timeout), v("who", x.who), v("allow_edit", x.allow_edit), v("schema", x.schema),
      v("fan_out", x.fan_out), v("waiting", x.waiting), v("items", x.items), v("arguments", x.arguments), v("arguments_bytes", x.arguments_bytes);
}

void put_approval(Batch& batch, const WaitingApproval& approval);
void remove_approval(Batch& batch, UnixMillis since, const ChainId& chain, StepIndex step);

/// Where one stands in the list, as text: for whoever goes on behind it.
[[nodiscard]] std::string approval_place(const WaitingApproval& approval);
/// Those behind that place (empty: all), the longest waiting first, until the visitor answers false. Errors: usage, of a text that is no place;
/// storage_corrupt where a record is damaged; those of the store.
using ApprovalVisitor = std::function<bool(const WaitingApproval& approval)>;
[[nodiscard]] Result<void> scan_approvals(const Kv& kv, std::string_view place, const ApprovalVisitor& visitor);

}  // namespace catena::storage
