// The history of a chain, of a step or of an item: what is read for one answer is a slice of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/suggest.hpp"
#include "coordinator/inspect/describe_event.hpp"
#include "coordinator/inspect/inspector.hpp"

namespace catena::coordinator {
namespace {

bool fits(const EventFacts& facts, const ReadHistory& ask, std::optional<StepIndex> step) {
  if (facts.at < ask.since) return false;
  if (step && facts.step != step) return false;
  if (ask.item && !facts.items.contains(*ask.item)) return false;
  return ask.kinds.empty() || std::ranges::find(ask.kinds, facts.kind) != ask.kinds.end();
}

Result<void> check_kinds(const std::vector<std::string>& kinds) {
  const auto known = engine::event_names();
  for (const auto& kind : kinds) {
    if (std::ranges::find(known, kind) != known.end()) continue;
    const std::vector<std::string> names(known.begin(), known.end());
    return fail(Code::usage, fmt::format("no event is of the kind '{}'{}; kinds are: {}", kind, did_you_mean(kind, names), fmt::join(names, ", ")));
  }
  return {};
}

HistoryEvent row_of(Sequence sequence, const engine::Event& event, const EventFacts& facts, const lang::Program* program) {
  HistoryEvent row;
  row.sequence = sequence;
  row.at = facts.at;
  row.text = describe(event, program).text;
  row.kind = facts.kind;
  if (facts.step) row.step = step_id(program, *facts.step);
  row.visit = facts.visit;
  row.fan_out = facts.step && program != nullptr && *facts.step < program->steps.size() && program->steps[*facts.step].each.has_value();
  row.items = facts.items.size();
  row.failed = facts.failed;
  row.worker = facts.worker;
  if (facts.error) row.problem = fmt::format("[{}] {}", name(facts.error->code), facts.error->message);
  return row;
}

}  // namespace

Result<AttemptCounts> Inspector::answer(const CountAttempts& ask) {
  if (auto there = summary_of_chain(ask.chain); !there) return fail(std::move(there).error());
  AttemptCounts told;
  std::map<StepIndex, std::int64_t> attempts;
  std::uint32_t events = 0;
  const auto count = [&](Sequence sequence, const engine::Event& event) {
    if (events++ == kEventsCountedMax) {
      told.next = sequence;
      return false;
    }
    if (const auto* granted = std::get_if<engine::Granted>(&event)) attempts[granted->visit.step] += granted->items.size();
    const auto* ended = std::get_if<engine::AttemptsEnded>(&event);
    const bool given_back = ended != nullptr && ended->error && ended->error->code == Code::given_back;
    if (given_back) attempts[ended->visit.step] -= ended->items.size();  // they never began
    return true;
  };
  if (auto read = read_history(kv_, ask.chain, count, std::max<Sequence>(ask.from, 1)); !read) return fail(std::move(read).error());
  for (const auto& [step, number] : attempts) told.steps.push_back({step, number});
  return told;
}

Result<HistoryPage> Inspector::answer(const ReadHistory& ask) {
  if (auto valid = check_kinds(ask.kinds); !valid) return fail(std::move(valid).error());
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto program = chain->program();
  std::optional<StepIndex> only;
  if (!ask.step.empty()) {
    const auto step = step_named(*chain, ask.chain, ask.step);
    if (!step) return fail(step.error());
    only = *step;
  }
  HistoryPage page;
  std::size_t bytes = 0;
  std::uint32_t looked_at = 0;
  const auto rows = page_rows(ask.limit);
  const auto add = [&](Sequence sequence, const engine::Event& event) {
    if (page.events.size() == rows || bytes > kPageBytesMax || looked_at++ == kEventsCountedMax) {
      page.next = sequence;
      return false;
    }
    const auto facts = facts_of(event);
    if (!fits(facts, ask, only)) return true;
    page.events.push_back(row_of(sequence, event, facts, program.get()));
    auto& row = page.events.back();
    if (ask.in_full) row.json = dump_lossy(describe_json(event, program.get()));
    bytes += row.text.size() + row.json.size() + row.problem.size();
    return true;
  };
  if (auto read = read_history(kv_, ask.chain, add, std::max<Sequence>(ask.from, 1)); !read) return fail(std::move(read).error());
  return page;
}

}  // namespace catena::coordinator
