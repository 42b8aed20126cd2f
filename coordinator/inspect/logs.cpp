// What the attempts of a chain printed.
#include <algorithm>

#include "coordinator/inspect/inspector.hpp"
#include "storage/log_store.hpp"

namespace catena::coordinator {
namespace {

bool log_wanted(const storage::LogSegment& segment, const ReadLogs& ask) {
  if (!ask.step.empty() && segment.step != ask.step) return false;
  if (ask.item && segment.item != *ask.item) return false;
  if (ask.attempt != 0 && segment.attempt != ask.attempt) return false;
  return !ask.stream || segment.stream == static_cast<std::uint8_t>(*ask.stream);
}

LogRow log_row(std::uint64_t number, const storage::LogSegment& segment, const lang::Program* program) {
  LogRow row;
  row.number = number;
  row.step = segment.step;
  row.visit = segment.visit;
  const auto step = program != nullptr ? program->find_step(segment.step) : std::nullopt;
  const bool fan_out = step ? program->steps[*step].each.has_value() : segment.item != 0;
  if (fan_out) row.item = segment.item;
  row.attempt = segment.attempt;
  const auto last = static_cast<std::uint8_t>(actors::LogStream::standard_output);
  row.stream = static_cast<actors::LogStream>(std::min(segment.stream, last));
  row.offset = segment.offset;
  row.at = segment.at;
  row.text = segment.text;
  return row;
}

}  // namespace

Result<LogPage> Inspector::answer(const ReadLogs& ask) {
  const auto chain = known(ask.chain);
  if (!chain) return fail(chain.error());
  const auto program = chain->program();
  if (!ask.step.empty() && program) {
    if (const auto step = step_named(*chain, ask.chain, ask.step); !step) return fail(step.error());
  }
  const auto totals = storage::load_log_totals(kv_, ask.chain);
  if (!totals) return fail(totals.error());
  LogPage page;
  page.dropped = totals->dropped;
  page.next = std::max({ask.first, totals->first, std::uint64_t{1}});
  std::size_t bytes = 0;
  std::uint64_t looked_at = 0;
  const auto scanned = storage::scan_segments(kv_, ask.chain, page.next, [&](std::uint64_t number, const storage::LogSegment& segment) {
    if (page.rows.size() == kPageRowsMax || bytes > kPageBytesMax || looked_at > kLogBytesLookedAt) {
      page.more = true;
      return false;
    }
    looked_at += segment.text.size() + actors::kLogPieceCost;
    page.next = number + 1;
    if (!log_wanted(segment, ask)) return true;
    bytes += segment.text.size() + actors::kLogPieceCost;
    page.rows.push_back(log_row(number, segment, program.get()));
    return true;
  });
  if (!scanned) return fail(scanned.error());
  return page;
}

}  // namespace catena::coordinator
