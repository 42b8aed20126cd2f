// Lists of chains, and what the index says of families: no journal is read for them.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "coordinator/inspect/inspector.hpp"
#include "coordinator/summaries.hpp"
#include "coordinator/values.hpp"
#include "storage/keys.hpp"
#include "storage/submission_keys.hpp"

namespace catena::coordinator {
namespace {

/// Chains of earlier versions, whose summaries do not say how far they have come: so many journals are read for one page.
constexpr std::uint32_t kFoldedMax = 50;

// ---- cursors of lists of chains: "START.ID" of the last that was looked at ------------------------------------------------------

std::string cursor_behind(const storage::IndexPlace& place) { return fmt::format("{}.{}", place.started_at, place.id.value); }

Result<storage::IndexPlace> read_chain_cursor(std::string_view cursor) {
  storage::IndexPlace place;
  const auto [end, failed] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), place.started_at);
  const auto rest = cursor.substr(static_cast<std::size_t>(end - cursor.data()));
  if (failed == std::errc{} && rest.starts_with('.')) {
    place.id.value = rest.substr(1);
    if (storage::check_chain_id(place.id)) return place;
  }
  return fail(Code::usage, "the cursor is not one that a page of chains had; begin without a cursor");
}

bool wanted(const storage::ChainSummary& summary, const ListChains& ask) {
  if (ask.parent && ask.parent->value != summary.parent) return false;
  if (summary.started_at < ask.since) return false;
  if (!ask.name.empty() && ::fnmatch(ask.name.c_str(), summary.name.c_str(), 0) != 0) return false;
  if (!ask.below.empty()) {  // ids tell the family
    const std::string_view id{summary.id.value};
    if (!id.starts_with(ask.below.value) || id.size() <= ask.below.value.size() || id[ask.below.value.size()] != '/') return false;
  }
  if (!has_labels(summary.labels, ask.labels)) return false;
  return ask.statuses.empty() ||
         std::ranges::any_of(ask.statuses, [&](engine::ChainStatus status) { return engine::name(status) == summary.status; });
}

/// Whose descendants are asked for: they lie together, so that a large index is not read for a small family.
ChainId family_of(const ListChains& ask) {
  if (!ask.below.empty()) return ask.below;
  return ask.parent.value_or(ChainId{});
}

/// By which index chains are found that have all labels: by one with a value, if there is one.
Result<std::string> label_to_read(const std::map<std::string, std::string>& wanted) {
  std::string label;
  bool one_value = false;
  for (const auto& [key, value] : wanted) {
    if (auto right = check_label_key(key); !right) return fail(std::move(right).error());
    const bool pattern = value.empty() || value.size() > kLabelValueBytesMax || is_label_pattern(value);
    if (one_value || (pattern && !label.empty())) continue;
    label = fmt::format("{}={}", key, pattern ? "" : value);
    one_value = !pattern;
  }
  return label;
}

bool has_members(std::string_view context, const std::map<std::string, std::string>& wanted) {
  const auto json = Json::parse(context, nullptr, false);
  return json.is_object() && std::ranges::all_of(wanted, [&](const auto& member) {
           const auto found = json.find(member.first);
           return found != json.end() && *found == Json::parse(member.second, nullptr, false);
         });
}

}  // namespace

ListedChain Inspector::listed(const storage::ChainSummary& summary, std::uint32_t& folded) const {
  ListedChain row;
  row.id = summary.id;
  row.name = summary.name;
  row.parent = ChainId{summary.parent};
  row.started_at = summary.started_at;
  row.finished_at = summary.finished_at;
  const auto counts = step_counts_of(summary);
  row.steps = counts.steps;
  row.steps_settled = counts.settled;
  row.error = error_of(summary);
  row.context = context_of(summary).value_or("");
  row.labels = summary.labels;
  const auto status = engine::chain_status_named(summary.status);
  if (status) row.status = *status;
  if (status && (counts.current || engine::terminal(*status))) return row;
  // An earlier version wrote it.
  ++folded;
  const auto recovered = recover_state(kv_, summary);
  if (!recovered) return row;  // what the summary says is shown all the same
  const auto& state = recovered->state;
  if (!status) row.status = state.status;
  row.steps = static_cast<std::uint32_t>(state.steps.size());
  row.steps_settled = row.steps - state.unsettled;
  return row;
}

/// A context that is too large for the index is read from the chain's own records.
bool Inspector::has_context(const storage::ChainSummary& summary, const ListChains& ask, std::uint32_t& folded) const {
  if (ask.context.empty()) return true;
  if (const auto context = context_of(summary)) return has_members(*context, ask.context);
  if (!has_large_context(summary)) return false;
  ++folded;
  const auto recovered = recover_state(kv_, summary);
  const auto text = recovered ? read_payload(kv_, recovered->state.context) : Result<lang::JsonText>{lang::JsonText{}};
  return text && has_members(text->text, ask.context);
}

Result<ChainPage> Inspector::answer(const ListChains& ask) {
  storage::SummaryFilter filter;
  auto label = label_to_read(ask.labels);
  if (!label) return fail(std::move(label).error());
  filter.label = std::move(*label);
  if (ask.statuses.size() == 1 && filter.label.empty()) filter.statuses = {std::string{engine::name(ask.statuses.front())}};
  if (!ask.cursor.empty()) {
    auto after = read_chain_cursor(ask.cursor);
    if (!after) return fail(std::move(after).error());
    filter.after = *after;
  }
  ChainPage page;
  storage::IndexPlace last = filter.after.value_or(storage::IndexPlace{});
  const auto family = family_of(ask);
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  std::uint32_t folded = 0;
  const auto rows = page_rows(ask.limit);
  const auto look = [&](const storage::ChainSummary& summary) {
    if (page.chains.size() == rows || bytes > kPageBytesMax || looked_at == kChainsLookedAtMax || folded == kFoldedMax) {
      page.cursor = cursor_behind(last);
      return false;
    }
    ++looked_at;
    last = {summary.started_at, summary.id};
    if (family.empty() && summary.started_at < ask.since) return false;  // the next are older
    if (!wanted(summary, ask) || !has_context(summary, ask, folded)) return true;
    if (ask.only_count) {
      ++page.matched;
      return true;
    }
    auto row = listed(summary, folded);
    bytes += row.id.value.size() + row.name.size() + row.parent.value.size();
    page.chains.push_back(std::move(row));
    return true;
  };
  const auto scanned = family.empty() ? storage::list_summaries(kv_, filter, look) : storage::list_family(kv_, family, last.id, look);
  if (!scanned) return fail(scanned.error());
  return page;
}

Result<FoundSubmission> Inspector::answer(const FindSubmission& ask) {
  const auto known = storage::load_submission(kv_, ask.submission_key);
  if (!known) return fail(known.error());
  if (!*known || (*known)->expires_at <= clock_.now()) {
    return fail(Code::chain_not_found,
                fmt::format("no chain is known to have been submitted with the key {}; keys are kept for a time (chains.idempotency_ttl)",
                            dump_lossy(Json(ask.submission_key.substr(0, kLabelValueBytesMax)))));
  }
  const auto summary = storage::load_summary(kv_, (*known)->chain);
  if (!summary) return fail(summary.error());
  const bool there = *summary && (*summary)->started_at == (*known)->started_at;
  return FoundSubmission{(*known)->chain, (*known)->submitted_at, (*known)->expires_at, !there};
}

Result<TokenList> Inspector::answer(const ListTokens&) {
  const auto tokens = storage::load_access_tokens(kv_);
  if (!tokens) return fail(tokens.error());
  TokenList list;
  for (const auto& [id, token] : *tokens)
    list.tokens.push_back({id, token.name, token.role, token.created_at, token.expires_at, token.revoked_at, token.rate, token.namespace_});
  std::ranges::stable_sort(list.tokens, {}, &TokenRow::created_at);
  return list;
}

Result<FamilyCounts> Inspector::answer(const CountFamily& ask) {
  if (auto there = summary_of_chain(ask.chain); !there) return fail(std::move(there).error());
  storage::IndexPlace last;
  if (!ask.cursor.empty()) {
    auto after = read_chain_cursor(ask.cursor);
    if (!after) return fail(std::move(after).error());
    last = std::move(*after);
  }
  FamilyCounts told;
  std::array<std::uint64_t, engine::kChainStatusNames.size()> by_status{};
  std::uint32_t looked_at = 0;
  const auto scanned = storage::list_family(kv_, ask.chain, last.id, [&](const storage::ChainSummary& summary) {
    if (looked_at++ == kChainsLookedAtMax) {
      told.cursor = cursor_behind(last);
      return false;
    }
    last = {summary.started_at, summary.id};
    const auto counts = step_counts_of(summary);
    told.steps += counts.steps;
    told.steps_settled += counts.settled;
    if (const auto status = engine::chain_status_named(summary.status)) ++by_status[static_cast<std::size_t>(*status)];
    return true;
  });
  if (!scanned) return fail(scanned.error());
  for (std::size_t status = 0; status < by_status.size(); ++status) {
    if (by_status[status] != 0) told.counts.push_back({static_cast<engine::ChainStatus>(status), by_status[status]});
  }
  return told;
}

}  // namespace catena::coordinator
