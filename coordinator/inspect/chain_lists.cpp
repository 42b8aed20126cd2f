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

/// The indices of labels that chains stand in which have them all. A pattern is looked for among those that have its key.
Result<std::vector<std::string>> labels_to_read(const std::map<std::string, std::string>& wanted) {
  std::vector<std::string> labels;
  for (const auto& [key, value] : wanted) {
    if (auto right = check_label_key(key); !right) return fail(std::move(right).error());
    const bool pattern = value.empty() || value.size() > kLabelValueBytesMax || is_label_pattern(value);
    labels.push_back(fmt::format("{}={}", key, pattern ? "" : value));
  }
  return labels;
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
  row.deadline_at = deadline_of(summary);
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

storage::WalkBound Inspector::bound_of_walk(std::size_t walks) const {
  constexpr std::size_t kLooksPerTime = 256;  // at the clock
  const auto until = clock_.now() + bounds_.time_max.count() / static_cast<std::int64_t>(walks);
  return [this, until, entries_max = bounds_.entries_max / walks, looks = std::size_t{0}](std::size_t entries) mutable {
    return entries < entries_max && (++looks % kLooksPerTime != 0 || clock_.now() < until);
  };
}

Result<ChainPage> Inspector::of_statuses(const ListChains& ask, const storage::SummaryFilter& filter) const {
  const auto rows = page_rows(ask.limit);
  const auto looked_at_max = std::max<std::uint32_t>(kChainsLookedAtMax / static_cast<std::uint32_t>(ask.statuses.size()), rows + 1);
  const auto place_of = [](const storage::ChainSummary& summary) { return storage::IndexPlace{summary.started_at, summary.id}; };
  const auto before = [](const storage::IndexPlace& a, const storage::IndexPlace& b) {
    return std::pair{-a.started_at, std::string_view{a.id.value}} < std::pair{-b.started_at, std::string_view{b.id.value}};
  };
  std::vector<storage::ChainSummary> found;
  std::optional<storage::IndexPlace> known_until;  // chains behind this place were not all looked at
  const auto know_until = [&](const storage::IndexPlace& place) {
    if (!known_until || before(place, *known_until)) known_until = place;
  };
  // Each status has a share of what one page may cost, so that all of them move on with each page.
  const auto folded_max = std::max<std::uint32_t>(kFoldedMax / static_cast<std::uint32_t>(ask.statuses.size()), 1);
  for (const auto status : ask.statuses) {
    std::uint32_t folded = 0;
    std::uint32_t looked_at = 0;
    std::uint32_t matched = 0;
    storage::IndexPlace last = filter.after.value_or(storage::IndexPlace{});
    const auto over = [&] { return matched == rows + 1 || looked_at == looked_at_max || folded == folded_max; };
    auto one = filter;
    one.statuses = {std::string{engine::name(status)}};
    one.wanted = [&](const storage::ChainSummary& summary) { return over() || wanted(summary, ask); };
    const auto scanned = storage::walk_summaries(kv_, one, bound_of_walk(ask.statuses.size()), [&](const storage::ChainSummary& summary) {
      if (over()) {
        know_until(last);
        return false;
      }
      ++looked_at;
      last = place_of(summary);
      if (!has_context(summary, ask, folded)) return true;
      ++matched;
      found.push_back(summary);
      return true;
    });
    if (scanned && *scanned) know_until(**scanned);
    if (!scanned) return fail(scanned.error());
  }
  std::ranges::sort(found, before, place_of);
  ChainPage page;
  std::size_t bytes = 0;
  std::uint32_t folded = 0;
  for (const auto& summary : found) {
    const auto place = place_of(summary);
    if (known_until && before(*known_until, place)) break;
    if (page.chains.size() == rows || bytes > kPageBytesMax || folded == kFoldedMax) {
      const auto& shown = page.chains.back();
      page.cursor = cursor_behind({shown.started_at, shown.id});
      return page;
    }
    auto row = listed(summary, folded);
    bytes += row.id.value.size() + row.name.size() + row.parent.value.size();
    page.chains.push_back(std::move(row));
  }
  if (known_until) page.cursor = cursor_behind(*known_until);
  return page;
}

Result<ChainPage> Inspector::answer(const ListChains& ask) {
  storage::SummaryFilter filter;
  auto labels = labels_to_read(ask.labels);
  if (!labels) return fail(std::move(labels).error());
  filter.labels = std::move(*labels);
  filter.since = ask.since;
  if (!ask.name.empty()) filter.name = ask.name;
  for (const auto status : ask.statuses) filter.statuses.emplace_back(engine::name(status));
  if (!ask.cursor.empty()) {
    auto after = read_chain_cursor(ask.cursor);
    if (!after) return fail(std::move(after).error());
    filter.after = *after;
  }
  const auto family = family_of(ask);
  if (ask.statuses.size() > 1 && family.empty() && !ask.only_count) return of_statuses(ask, filter);
  ChainPage page;
  storage::IndexPlace last = filter.after.value_or(storage::IndexPlace{});
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  std::uint32_t folded = 0;
  const auto rows = page_rows(ask.limit);
  const auto over = [&] { return page.chains.size() == rows || bytes > kPageBytesMax || looked_at == kChainsLookedAtMax || folded == kFoldedMax; };
  const auto look = [&](const storage::ChainSummary& summary) {
    if (over()) {
      page.cursor = cursor_behind(last);
      return false;
    }
    ++looked_at;
    last = {summary.started_at, summary.id};
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
  if (!family.empty()) {
    const auto scanned = storage::list_family(kv_, family, last.id, look);
    if (!scanned) return fail(scanned.error());
    return page;
  }
  filter.wanted = [&](const storage::ChainSummary& summary) {
    if (over()) return true;  // the next chain of any kind says that there is more
    if (!wanted(summary, ask)) return false;
    if (!ask.only_count || !ask.context.empty()) return true;
    ++page.matched;
    return false;
  };
  const auto stopped = storage::walk_summaries(kv_, filter, bound_of_walk(1), look);
  if (!stopped) return fail(stopped.error());
  if (*stopped) page.cursor = cursor_behind(**stopped);
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
