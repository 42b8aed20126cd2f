#include "coordinator/traces/teller.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "coordinator/recover.hpp"
#include "storage/feed_store.hpp"

namespace catena::coordinator {
namespace {

constexpr Millis kNothingNew{500};
constexpr Millis kPauseLeast{1'000};
constexpr Millis kPauseMost{60'000};
constexpr Millis kAskedPauseMost{300'000};
constexpr std::size_t kNoticesAtOnce = 1'024;
// Indices of the label's values, see base/metrics.cpp.
enum OfSpans : std::size_t { kExported, kRefused, kLeftOut };

struct EndedChain {
  std::uint64_t number = 0;
  ChainId chain;
  Sequence sequence = 0;  // of its last event
};

bool ends_chain(const storage::Notice& notice) {
  return notice.kind == storage::NoticeKind::ended || notice.kind == storage::NoticeKind::quarantined;
}

}  // namespace

Result<std::uint64_t> end_of_feed(const storage::Kv& kv) {
  std::uint64_t end = 1;
  auto scanned = storage::scan_notice_numbers(kv, [&](std::uint64_t number) {
    end = number + 1;
    return true;
  });
  if (!scanned) return fail(std::move(scanned).error());
  return end;
}

Result<Millis> TraceTeller::turn() {
  if (held() > 0) return tell_some();
  auto more = read_more();
  if (!more) return fail(std::move(more).error());
  if (held() > 0) return tell_some();
  if (auto kept = keep_place(); !kept) return fail(std::move(kept).error());
  return *more ? Millis{0} : kNothingNew;
}

Result<void> TraceTeller::keep_place() {
  if (next_ == recorded_) return {};
  auto kept = options_.record(next_);
  if (kept) recorded_ = next_;
  return kept;
}

/// Chains that ended, until there are spans for a request.
Result<bool> TraceTeller::read_more() {
  const auto oldest = storage::first_notice(*options_.kv);
  if (!oldest) return fail(oldest.error());
  if (*oldest > next_) {
    if (next_ > 1) options_.metrics->add(Metric::trace_gaps);
    next_ = *oldest;
  }
  std::vector<EndedChain> ended;
  auto next = next_;
  std::size_t looked_at = 0;
  const auto scanned = storage::scan_notices(*options_.kv, next_, [&](std::uint64_t number, const storage::Notice& notice) {
    next = number + 1;
    if (ends_chain(notice)) ended.push_back({number, notice.chain, notice.sequence});
    return ++looked_at < kNoticesAtOnce;
  });
  if (!scanned) return fail(scanned.error());
  for (const auto& one : ended) {
    if (auto made = make_spans(one.chain, one.sequence); !made) {
      spans_.clear();
      return fail(std::move(made).error());
    }
    if (held() < options_.spans_at_once) continue;
    next_ = one.number + 1;
    return true;
  }
  next_ = next;
  return looked_at == kNoticesAtOnce;
}

/// A chain that was removed meanwhile, or whose records are damaged, has no spans: that keeps nobody else's back. A read that fails is made again.
Result<void> TraceTeller::make_spans(const ChainId& chain, Sequence until) {
  SpanMaker maker{chain};
  const auto read = read_history(*options_.kv, chain, [&](Sequence sequence, const engine::Event& event) {
    if (sequence > until) return false;
    maker.add(event);
    return true;
  });
  const auto& state = maker.state();
  if (!read && read.error().code == Code::storage_io) return fail(read.error());
  if (!read || state.status == engine::ChainStatus::pending) {
    options_.metrics->add(Metric::trace_gaps);
    return {};
  }
  if (package_ == nullptr || package_->hash != state.package) {
    auto package = recover_package(*options_.kv, state.package, options_.catalog);
    if (!package && package.error().code == Code::storage_io) return fail(std::move(package).error());
    package_ = package ? std::move(*package) : nullptr;
  }
  if (package_ != nullptr) {
    const auto program = package_->programs.find(state.definition);
    if (program != package_->programs.end()) maker.name_steps(program->second);
  }
  auto made = maker.take();
  options_.metrics->add(Metric::trace_spans, made.left_out, kLeftOut);
  spans_.insert(spans_.end(), std::make_move_iterator(made.spans.begin()), std::make_move_iterator(made.spans.end()));
  return {};
}

Result<Millis> TraceTeller::tell_some() {
  const auto count = std::min(held(), options_.spans_at_once);
  const std::span<const Span> some{spans_.data() + told_, count};
  const auto telling = options_.tell(otlp_json(some, options_.resource, options_.version));
  if (telling.outcome == Telling::Outcome::later) {
    options_.metrics->add(Metric::trace_failures);
    pause_ = std::clamp(pause_ * 2, kPauseLeast, kPauseMost);
    return telling.after ? std::clamp(*telling.after, kPauseLeast, kAskedPauseMost) : pause_;
  }
  options_.metrics->add(Metric::trace_spans, count, telling.outcome == Telling::Outcome::taken ? kExported : kRefused);
  pause_ = Millis{0};
  told_ += count;
  if (held() > 0) return Millis{0};
  spans_ = {};
  told_ = 0;
  if (auto kept = keep_place(); !kept) return fail(std::move(kept).error());
  return Millis{0};
}

}  // namespace catena::coordinator
