// Steps that wait for approval, a page at a time.
#include <algorithm>

#include "coordinator/inspect/inspector.hpp"
#include "storage/chain_summary.hpp"

namespace catena::coordinator {
namespace {

constexpr std::uint32_t kApprovalsLookedAtMax = 2'000;
constexpr std::size_t kApprovalCost = 256;  // bytes beside its texts

bool is_at_or_below(const storage::WaitingApproval& row, const std::string& chain) {
  return row.chain.value == chain || row.chain.value.starts_with(chain + "/");
}

bool is_approval_wanted(const storage::WaitingApproval& row, const ListApprovals& ask) {
  if (!ask.namespace_.empty() && row.namespace_ != ask.namespace_) return false;
  if (!ask.about.empty() && !is_at_or_below(row, ask.about)) return false;
  return ask.who.empty() || row.who == ask.who;
}

}  // namespace

Result<ApprovalPage> Inspector::answer(const ListApprovals& ask) {
  ApprovalPage page;
  const auto most = page_rows(ask.limit);
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  std::string last;
  Result<void> read;
  const auto scanned = storage::scan_approvals(kv_, ask.after, [&](const storage::WaitingApproval& row) {
    if (page.rows.size() == most || bytes > kPageBytesMax || looked_at == kApprovalsLookedAtMax) {
      page.next = last;
      return false;
    }
    ++looked_at;
    last = storage::approval_place(row);
    if (!is_approval_wanted(row, ask)) return true;
    // One that was set aside with its process keeps its row: nobody can answer it.
    const auto summary = storage::load_summary(kv_, row.chain);
    if (!summary) read = fail(summary.error());
    if (!summary) return false;
    if (!*summary || (*summary)->status == engine::name(engine::ChainStatus::quarantined)) return true;
    bytes += kApprovalCost + row.chain.value.size() + row.step.size() + row.arguments.size() + row.schema.size() + row.items.size() + row.name.size();
    page.rows.push_back(row);
    return true;
  });
  if (!scanned) return fail(scanned.error());
  if (!read) return fail(std::move(read).error());
  return page;
}

}  // namespace catena::coordinator
