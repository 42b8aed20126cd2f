#include "coordinator/inspect/timeline.hpp"

#include <algorithm>
#include <utility>

#include "base/overloads.hpp"
#include "coordinator/inspect/describe_event.hpp"

namespace catena::coordinator {
namespace {

/// Of an attempt, as far as it has come.
std::int64_t time_taken(const std::vector<TimeBar>& bars, UnixMillis now) {
  std::int64_t taken = 0;
  for (const auto& bar : bars) {
    if (bar.kind == BarKind::running || bar.kind == BarKind::lost) taken += std::max<std::int64_t>((bar.to == 0 ? now : bar.to) - bar.from, 0);
  }
  return taken;
}

bool is_open(const std::vector<TimeBar>& bars) { return !bars.empty() && bars.back().to == 0; }

}  // namespace

AttemptEvent attempt_end(const engine::AttemptsEnded& ended) {
  if (ended.error && ended.error->code == Code::given_back) return AttemptEvent::given_back;
  switch (ended.how) {
    case engine::Ended::failed: return AttemptEvent::failed;
    case engine::Ended::lost: return AttemptEvent::lost;
    case engine::Ended::cancelled: return AttemptEvent::cancelled;
    case engine::Ended::postponed: return AttemptEvent::postponed;
  }
  return AttemptEvent::failed;
}

// ---- the timeline -----------------------------------------------------------------------------------------------------------

void TimelineFold::Track::begin(BarKind kind, UnixMillis at, WorkerId worker) {
  end(at);
  if (kind == BarKind::running) ++attempts;
  if (bars.size() >= 2 * bars_max) {
    const auto dropped = bars.size() - bars_max;
    bars.erase(bars.begin(), bars.begin() + static_cast<std::ptrdiff_t>(dropped));
    before += static_cast<std::uint32_t>(dropped);
  }
  bars.push_back({.kind = kind, .attempt = kind == BarKind::running ? attempts : attempts + 1, .worker = std::move(worker), .from = at});
}

void TimelineFold::Track::end(UnixMillis at, std::optional<AttemptEvent> outcome) {
  if (!is_open(bars)) return;
  auto& bar = bars.back();
  const bool attempt = bar.kind == BarKind::running;
  if (!attempt && at <= bar.from) {  // nobody waited
    bars.pop_back();
    return;
  }
  bar.to = std::max(at, bar.from);
  if (!attempt) return;
  bar.outcome = outcome;
  if (outcome == AttemptEvent::lost) bar.kind = BarKind::lost;
}

TimelineFold::VisitTrack* TimelineFold::find(VisitId id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &visits_[found->second];
}

/// What of two visits settled later, or neither.
std::optional<std::size_t> TimelineFold::cause_of(StepIndex step) const {
  if (program_ == nullptr || step >= program_->steps.size()) return std::nullopt;
  std::optional<std::size_t> last;
  const auto look = [&](StepIndex dependency) {
    const auto found = last_settled_.find(dependency);
    if (found == last_settled_.end() || visits_[found->second].settled == 0) return;
    if (!last || visits_[found->second].settled > visits_[*last].settled) last = found->second;
  };
  const auto& what = program_->steps[step];
  if (const auto* gate = std::get_if<lang::AfterAll>(&what.gate)) {
    for (const auto dependency : gate->deps) look(dependency);
  } else if (const auto from = jumped_from_.find(step); from != jumped_from_.end()) {
    last = from->second;
  }
  if (what.finally) {  // it begins when all others are over
    for (StepIndex other = 0; other < program_->steps.size(); ++other) {
      if (!program_->steps[other].finally) look(other);
    }
  }
  return last;
}

TimelineFold::VisitTrack& TimelineFold::enter(VisitId id, UnixMillis at) {
  if (auto* known = find(id)) {
    known->to = 0;
    known->settled = 0;
    return *known;
  }
  auto cause = cause_of(id.step);
  by_id_.emplace(id, visits_.size());
  return visits_.emplace_back(VisitTrack{.id = id, .from = at, .cause = cause});
}

void TimelineFold::settle(VisitTrack& visit, UnixMillis at) {
  visit.to = at;
  visit.settled = ++settled_;
  last_settled_[visit.id.step] = static_cast<std::size_t>(&visit - visits_.data());
  for (auto& [item, track] : visit.tracks) track.end(at);
}

/// Null: so many attempts are not kept one by one.
TimelineFold::Track* TimelineFold::track_of(VisitTrack& visit, ItemIndex item) {
  const auto known = visit.tracks.find(item);
  if (known != visit.tracks.end()) return &known->second;
  if (visit.fan_out && !complete()) return nullptr;
  auto& made = visit.tracks[item];
  if (visit.fan_out) made.bars_max = kItemBarsMax;
  made.begin(BarKind::queued, visit.from);
  return &made;
}

void TimelineFold::each_track(VisitId id, const IndexSet& items, const std::function<void(Track&)>& change) {
  auto* visit = find(id);
  if (visit == nullptr || visit->tracks.empty()) return;
  items.for_each([&](ItemIndex item) {
    if (const auto track = visit->tracks.find(item); track != visit->tracks.end()) change(track->second);
  });
}

void TimelineFold::grant(const engine::Granted& event) {
  auto* visit = find(event.visit);
  if (visit == nullptr) return;
  if (visit->fan_out && complete()) attempts_ += event.items.size();
  if (visit->fan_out && !complete() && visit->tracks.empty()) return;
  event.items.for_each([&](ItemIndex item) {
    if (auto* track = track_of(*visit, item)) track->begin(BarKind::running, event.at, event.worker);
  });
}

void TimelineFold::reopen(const std::vector<engine::Reopened>& steps) {
  for (const auto& step : steps) {
    const auto last = last_settled_.find(step.step);
    if (last == last_settled_.end()) continue;
    if (!step.anew) visits_[last->second].to = 0;
    if (!step.anew) visits_[last->second].settled = 0;
    last_settled_.erase(last);
  }
}

/// What was out in the chain that it comes from is not out here.
void TimelineFold::fork(const engine::ChainForked& event) {
  for (auto& visit : visits_) {
    if (visit.settled != 0 || visit.skipped) continue;
    for (auto& [item, track] : visit.tracks) {
      if (!is_open(track.bars)) continue;
      const bool ran = track.bars.back().kind == BarKind::running;
      track.end(event.at - event.later_ms, ran ? std::optional{AttemptEvent::cancelled} : std::nullopt);
      if (!event.cut.contains(visit.id.step)) track.begin(BarKind::queued, event.at);
    }
    if (event.cut.contains(visit.id.step)) settle(visit, event.at - event.later_ms);
  }
  reopen(event.steps);
}

void TimelineFold::add(const engine::Event& event) {
  std::visit(Overloads{
                 [&](const engine::VisitEntered& entered) {
                   auto& visit = enter(entered.visit, entered.at);
                   visit.width = 1;
                   if (entered.kept.empty()) static_cast<void>(track_of(visit, 0));
                 },
                 [&](const engine::ItemsExpanded& entered) {
                   auto& visit = enter(entered.visit, entered.at);
                   visit.fan_out = true;
                   visit.width = entered.width;
                   visit.ok = entered.kept.size();
                 },
                 [&](const engine::VisitSkipped& skipped) {
                   auto& visit = enter(skipped.visit, skipped.at);
                   visit.skipped = true;
                   settle(visit, skipped.at);
                 },
                 [&](const engine::Granted& granted) { grant(granted); },
                 [&](const engine::AttemptsEnded& ended) {
                   each_track(ended.visit, ended.items, [&](Track& track) {
                     track.end(ended.at, attempt_end(ended));
                     if (ended.how == engine::Ended::cancelled) return;
                     track.begin(ended.in_doubt ? BarKind::waiting : BarKind::queued, ended.at);
                   });
                 },
                 [&](const engine::RetryArmed& armed) {
                   each_track(armed.visit, armed.items, [&](Track& track) { track.begin(BarKind::backoff, armed.at); });
                 },
                 [&](const engine::RetryReleased& released) {
                   each_track(released.visit, released.items, [&](Track& track) { track.begin(BarKind::queued, released.at); });
                 },
                 [&](const engine::DoubtCleared& cleared) {
                   each_track(cleared.visit, cleared.items, [&](Track& track) { track.begin(BarKind::queued, cleared.at); });
                 },
                 [&](const engine::ItemsSettled& settled) {
                   if (auto* visit = find(settled.visit)) {
                     visit->ok += settled.ok.size();
                     visit->bad += settled.bad.size();
                   }
                   each_track(settled.visit, settled.ok, [&](Track& track) { track.end(settled.at, AttemptEvent::succeeded); });
                   each_track(settled.visit, settled.bad, [&](Track& track) { track.end(settled.at, AttemptEvent::failed); });
                 },
                 [&](const engine::ItemsGiven& given) {
                   if (auto* visit = find(given.visit)) visit->ok += given.items.size();
                   each_track(given.visit, given.items, [&](Track& track) { track.end(given.at); });
                 },
                 [&](const engine::VisitSettled& settled) {
                   // a step that a person gave a response, or whose arguments could not be had, was never entered
                   auto* visit = find(settled.visit);
                   settle(visit == nullptr ? enter(settled.visit, settled.at) : *visit, settled.at);
                 },
                 [&](const engine::Jumped& jumped) {
                   if (const auto from = last_settled_.find(jumped.from); from != last_settled_.end()) jumped_from_[jumped.to] = from->second;
                 },
                 [&](const engine::RetryRequested& retried) { reopen(retried.steps); },
                 [&](const engine::ChainForked& forked) { fork(forked); },
                 [](const auto&) {},
             },
             event);
}

TimeRow TimelineFold::row_of(const VisitTrack& visit) const {
  return {.step = visit.id.step,
          .id = step_id(program_, visit.id.step),
          .visit = visit.id.visit,
          .fan_out = visit.fan_out,
          .from = visit.from,
          .to = visit.settled == 0 ? 0 : visit.to,
          .items = visit.width,
          .ok = visit.ok,
          .failed = visit.bad};
}

void TimelineFold::add_slow_items(const VisitTrack& visit, UnixMillis now, std::vector<TimeRow>& rows) const {
  std::vector<std::pair<std::int64_t, ItemIndex>> slowest;  // the longest first, and of those that took as long the first item
  for (const auto& [item, track] : visit.tracks) slowest.emplace_back(-time_taken(track.bars, now), item);
  const auto most = std::min(slowest.size(), kSlowRowsMax);
  std::ranges::partial_sort(slowest, slowest.begin() + static_cast<std::ptrdiff_t>(most));
  slowest.resize(most);
  for (const auto& [took, item] : slowest) {
    const auto& track = visit.tracks.at(item);
    auto row = row_of(visit);
    row.fan_out = false;
    row.item = item;
    row.items = row.ok = row.failed = 0;
    row.bars = track.bars;
    row.bars_before = track.before;
    if (!track.bars.empty()) row.to = track.bars.back().to;
    rows.push_back(std::move(row));
  }
}

std::vector<TimeRow> TimelineFold::rows(UnixMillis now) const {
  std::vector<TimeRow> rows;
  for (const auto& visit : visits_) {
    if (visit.skipped) continue;
    auto row = row_of(visit);
    if (!visit.fan_out) {
      row.items = row.ok = row.failed = 0;
      if (const auto track = visit.tracks.find(0); track != visit.tracks.end()) {
        row.bars = track->second.bars;
        row.bars_before = track->second.before;
      }
    }
    rows.push_back(std::move(row));
    if (visit.fan_out) add_slow_items(visit, now, rows);
  }
  for (auto& row : rows) {
    if (row.bars.size() <= kBarsMax) continue;
    const auto dropped = row.bars.size() - kBarsMax;
    row.bars.erase(row.bars.begin(), row.bars.begin() + static_cast<std::ptrdiff_t>(dropped));
    row.bars_before += static_cast<std::uint32_t>(dropped);
  }
  return rows;
}

std::optional<std::size_t> TimelineFold::last_of_path(bool finished) const {
  std::optional<std::size_t> last;
  for (std::size_t at = 0; at < visits_.size(); ++at) {
    if (!finished && visits_[at].settled == 0) return at;  // they are in the order of their begins
    if (visits_[at].settled != 0 && (!last || visits_[at].settled > visits_[*last].settled)) last = at;
  }
  return last;
}

std::vector<PathPart> TimelineFold::critical_path(bool finished) const {
  std::vector<PathPart> path;
  // A cause was there before what it caused: this ends.
  for (auto at = last_of_path(finished); at; at = visits_[*at].cause) {
    const auto& visit = visits_[*at];
    if (visit.skipped) continue;
    path.push_back({visit.id.step, step_id(program_, visit.id.step), visit.id.visit, visit.from, visit.settled == 0 ? 0 : visit.to});
  }
  std::ranges::reverse(path);
  return path;
}

// ---- who ran items ----------------------------------------------------------------------------------------------------------

ItemWorkFold::ItemWorkFold(VisitId visit, std::uint32_t width) : visit_{visit}, work_(width) {}

void ItemWorkFold::end(GrantId grant, const IndexSet& items, UnixMillis at, Counts counts) {
  const auto found = open_.find(grant);
  if (found == open_.end()) return;
  auto& open = found->second;
  const auto ended = both(open.items, items);
  const auto took = std::max<std::int64_t>(at - open.at, 0);
  ended.for_each([&](ItemIndex item) {
    auto& work = work_[item];
    if (counts == Counts::not_at_all) {
      --work.attempts;
    } else {
      work.took_ms += took;
    }
  });
  if (counts != Counts::not_at_all) {
    auto& share = workers_[open.worker];
    share.items += ended.size();
    if (counts == Counts::failed) share.failed += ended.size();
    share.took_ms += took * ended.size();
  }
  open.items.erase(ended);
  if (open.items.empty()) open_.erase(found);
}

void ItemWorkFold::add(const engine::Event& event, bool begins) {
  if (const auto* granted = std::get_if<engine::Granted>(&event)) {
    if (!begins || granted->visit != visit_) return;
    const auto known = both(granted->items, IndexSet::range(0, static_cast<std::uint32_t>(work_.size())));
    const auto [number, fresh] = numbers_.emplace(granted->worker, static_cast<std::uint32_t>(workers_.size()));
    if (fresh) workers_.push_back({.worker = granted->worker});
    known.for_each([&](ItemIndex item) {
      ++work_[item].attempts;
      work_[item].worker = number->second;
    });
    if (!known.empty()) open_[granted->grant] = {number->second, granted->at, known};
  } else if (const auto* ended = std::get_if<engine::AttemptsEnded>(&event)) {
    if (ended->visit != visit_) return;
    const auto how = attempt_end(*ended);
    const bool failed = how == AttemptEvent::failed || how == AttemptEvent::lost;
    end(ended->grant, ended->items, ended->at, how == AttemptEvent::given_back ? Counts::not_at_all : failed ? Counts::failed : Counts::ended);
  } else if (const auto* settled = std::get_if<engine::ItemsSettled>(&event)) {
    if (settled->visit != visit_) return;
    end(settled->grant, settled->ok, settled->at, Counts::ended);
    end(settled->grant, settled->bad, settled->at, Counts::failed);
  } else if (const auto* forked = std::get_if<engine::ChainForked>(&event)) {  // what was out in the chain that it comes from
    const auto open = open_;
    for (const auto& [grant, out] : open) end(grant, out.items, forked->at - forked->later_ms, Counts::ended);
  }
}

ItemWork ItemWorkFold::told(std::uint32_t slowest, UnixMillis now, const std::function<ItemStatus(ItemIndex)>& status) const {
  auto work = work_;
  for (const auto& [grant, open] : open_)
    open.items.for_each([&, at = open.at](ItemIndex item) { work[item].took_ms += std::max<std::int64_t>(now - at, 0); });
  std::vector<ItemIndex> order;
  for (ItemIndex item = 0; item < work.size(); ++item) {
    if (work[item].attempts != 0) order.push_back(item);
  }
  const auto most = static_cast<std::ptrdiff_t>(std::min<std::size_t>(order.size(), slowest));
  std::ranges::partial_sort(order, order.begin() + most, [&](ItemIndex a, ItemIndex b) {
    return std::pair{-work[a].took_ms, a} < std::pair{-work[b].took_ms, b};
  });
  ItemWork told{.visit = visit_.visit};
  for (auto item = order.begin(); item != order.begin() + most; ++item) {
    const auto& one = work[*item];
    told.slowest.push_back({*item, status(*item), one.attempts, one.took_ms, workers_[one.worker].worker});
  }
  told.workers = workers_;
  std::ranges::stable_sort(told.workers, std::ranges::greater{}, &WorkerShare::items);
  return told;
}

}  // namespace catena::coordinator
