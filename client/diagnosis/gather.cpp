#include "client/diagnosis/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace catena::client {
namespace {

constexpr int kPagesCounted = 5;  // of one status, 20,000 chains each
constexpr std::size_t kNamed = 5;
constexpr std::uint32_t kLookedAt = 20;
constexpr std::uint32_t kDeliveriesCounted = 1'000;
constexpr std::size_t kWordsKept = 3;  // of one chain

Result<void> count_status(Facts& facts, Questions& questions, engine::ChainStatus status) {
  coordinator::ListChains ask{.statuses = {status}, .only_count = true};
  auto& count = (*facts.chains)[status];
  for (int pages = 0; pages < kPagesCounted; ++pages) {
    const auto page = questions.ask(ask);
    if (!page) return fail(page.error());
    count += page->matched;
    if (page->cursor.empty()) return {};
    ask.cursor = page->cursor;
  }
  facts.chains_more = true;
  return {};
}

Result<std::vector<ChainId>> some_of(Questions& questions, engine::ChainStatus status, std::uint32_t most) {
  const auto page = questions.ask(coordinator::ListChains{.statuses = {status}, .limit = most});
  if (!page) return fail(page.error());
  std::vector<ChainId> chains;
  for (const auto& chain : page->chains) chains.push_back(chain.id);
  return chains;
}

/// What its records say of a chain that waits for a person.
void look_at_waits(Facts& facts, Questions& questions, const ChainId& chain) {
  const auto waits = questions.ask(coordinator::AskWaits{chain});
  if (!waits) return;  // it has ended meanwhile
  for (const auto& reason : waits->reasons) {
    if (reason.code == engine::ReasonCode::in_doubt && facts.in_doubt.size() < kNamed)
      facts.in_doubt.push_back(fmt::format("{} {}", chain.value, engine::task_text(reason)));
    if (reason.code == engine::ReasonCode::paused) add_explained(facts, chain, std::vector<engine::Reason>{reason});
  }
}

Result<void> count_deliveries(Facts& facts, Questions& questions) {
  WebhookFacts counts{.pending = 0, .pending_max = facts.webhooks ? facts.webhooks->pending_max : 0, .given_up = 0};
  for (const auto& [state, count] :
       {std::pair{storage::DeliveryState::pending, &counts.pending}, {storage::DeliveryState::given_up, &counts.given_up}}) {
    const auto page = questions.ask(coordinator::ReadWebhooks{.limit = kDeliveriesCounted, .states = {state}});
    if (!page) return fail(page.error());
    *count = page->rows.size();
  }
  facts.webhooks = counts;
  return {};
}

}  // namespace

Result<void> add_chains(Facts& facts, Questions& questions) {
  using enum engine::ChainStatus;
  facts.chains.emplace();
  facts.waiting.emplace();
  for (const auto status : {pending, running, paused, succeeded, failed, cancelled, quarantined}) {
    if (auto counted = count_status(facts, questions, status); !counted) return counted;
  }
  const auto aside = some_of(questions, quarantined, kNamed);
  if (!aside) return fail(aside.error());
  for (const auto& chain : *aside) facts.quarantined.push_back(chain.value);
  for (const auto status : {paused, running}) {
    const auto chains = some_of(questions, status, kLookedAt);
    if (!chains) return fail(chains.error());
    for (const auto& chain : *chains) look_at_waits(facts, questions, chain);
  }
  const auto newest = questions.ask(coordinator::ListChains{.limit = 1});
  if (!newest) return fail(newest.error());
  facts.records_ahead_ms = newest->chains.empty() ? 0 : newest->chains.front().started_at - facts.now;
  return count_deliveries(facts, questions);
}

Result<std::vector<ChainId>> chains_to_explain(Questions& questions) { return some_of(questions, engine::ChainStatus::running, kLookedAt); }

void add_explained(Facts& facts, const ChainId& chain, const std::vector<std::string>& words) {
  if (words.empty()) return;
  if (!facts.waiting) facts.waiting.emplace();
  WaitingChain waiting{chain.value, words};
  if (waiting.why.size() > kWordsKept) waiting.why.resize(kWordsKept);
  facts.waiting->push_back(std::move(waiting));
}

void add_explained(Facts& facts, const ChainId& chain, const std::vector<engine::Reason>& reasons) {
  std::vector<std::string> lines;
  for (const auto& reason : reasons) lines.push_back(engine::line(reason, chain));
  add_explained(facts, chain, lines);
}

void add_workers(Facts& facts, const std::vector<actors::NodeInfo>& nodes) {
  facts.workers.emplace();
  UseFacts slots;
  for (const auto& node : nodes) {
    facts.workers->push_back({node.id.value, node.version, node.state, node.slots, node.heartbeat_age_ms, node.lost_ms});
    if (node.lost_ms < 0) slots.used += node.used, slots.most += node.slots;
  }
  facts.slots = slots;
}

void add_metrics(Facts& facts, const std::vector<Sample>& samples) {
  constexpr std::size_t kRefused = 1;  // among the outcomes of spans
  TraceFacts traces;
  for (const auto& sample : samples) {
    switch (sample.metric) {
      case Metric::steps_waiting: facts.steps_waiting = static_cast<std::uint64_t>(sample.number); break;
      case Metric::admission_closed: facts.admission_closed = sample.number != 0; break;
      case Metric::webhooks_pending:
        if (facts.webhooks) facts.webhooks->pending = static_cast<std::uint64_t>(sample.number);
        break;
      case Metric::trace_failures: traces.failures = sample.number; break;
      case Metric::trace_gaps: traces.gaps = sample.number; break;
      case Metric::trace_spans:
        if (sample.value == kRefused) traces.refused = sample.number;
        break;
      case Metric::commit_duration: {
        const auto& buckets = sample.histogram.buckets;
        const auto bounds = info_of(Metric::commit_duration).bounds;
        std::uint64_t all = 0;
        for (const auto count : buckets) all += count;
        std::uint64_t below = 0;
        std::size_t at = 0;
        while (at < buckets.size() && (below += buckets[at]) < all - all / 100) ++at;
        // Behind the last bound nothing is known but that it was more.
        if (all > 0) facts.sync = SyncFacts{bounds[std::min(at, bounds.size() - 1)], all, false};
        break;
      }
      default: break;
    }
  }
  facts.traces = traces;
}

}  // namespace catena::client
