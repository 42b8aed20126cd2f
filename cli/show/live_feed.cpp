#include "cli/show/live_feed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "actors/messages.hpp"
#include "client/questions.hpp"

namespace catena::cli {
namespace {

constexpr UnixMillis kDrawEveryMillis = 100;
constexpr UnixMillis kSayEveryMillis = 10'000;
constexpr std::size_t kChildrenAsked = 60;
constexpr std::size_t kLineWidth = 200;

}  // namespace

LiveFeed::LiveFeed(client::ChainsPort& chains, ChainId chain, Telling telling, Console& console)
    : chains_{chains}, telling_{telling}, console_{console}, clock_{console.clock()}, meter_{clock_.now()}, family_{chains.questions(), chain} {
  view_.chain = std::move(chain);
  said_at_ = meter_.started();
}

/// Steps and child chains. Asking costs whoever has the chain something: it takes at most a twentieth of the time.
void LiveFeed::look(UnixMillis now) {
  if (now < look_at_) return;
  constexpr UnixMillis kHere = 300, kElsewhere = 1'000, kShare = 20;
  auto& questions = chains_.questions();
  if (!clock_known_) {
    if (const auto known = questions.ask(coordinator::DescribeChain{.chain = view_.chain})) {
      clock_ahead_ = known->now - clock_.now();
      clock_known_ = true;
    }
  }
  if (auto steps = client::all_steps(questions, view_.chain)) view_.steps = std::move(*steps);
  view_.children.clear();
  using enum engine::ChainStatus;
  static_cast<void>(client::for_each_chain(questions, {.statuses = {pending, running, paused}, .below = view_.chain}, kChildrenAsked,
                                           [&](const coordinator::ListedChain& child) {
                                             view_.children.push_back(child);
                                             return true;
                                           }));
  // their times are by the clock of whoever has the chain
  for (auto& step : view_.steps) {
    if (step.entered_at != 0) step.entered_at -= clock_ahead_;
    if (step.settled_at != 0) step.settled_at -= clock_ahead_;
  }
  look_at_ = now + std::max(chains_.elsewhere() ? kElsewhere : kHere, kShare * (clock_.now() - now));
}

void LiveFeed::say_line(UnixMillis now) {
  const auto& counts = meter_.counts();
  if (counts->steps_settled == said_steps_ && now - said_at_ < kSayEveryMillis) return;
  said_steps_ = counts->steps_settled;
  said_at_ = now;
  console_.say(fmt::format("chain {}: {}", view_.chain.value, meter_.line(now, kLineWidth)));
}

void LiveFeed::take(const actors::Progress& progress, UnixMillis now) {
  if (telling_ == Telling::nothing || (telling_ == Telling::picture && now - drawn_at_ < kDrawEveryMillis)) return;
  auto counts = counts_of(progress);
  counts.family = family_.look(now);
  meter_.take(counts, now);
  if (telling_ == Telling::lines) return say_line(now);
  // a step that was entered or has settled is seen at once
  const bool moved = progress.steps_settled != said_steps_;
  if (moved) look_at_ = std::min(look_at_, now);
  said_steps_ = progress.steps_settled;
  look(now);
  console_.draw(live_lines(view_, meter_, now, {console_.width() - 1, console_.height(), console_.err_style()}));
  drawn_at_ = now;
}

}  // namespace catena::cli
