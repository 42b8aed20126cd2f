#include "coordinator/feed.hpp"

#include "base/chain_labels.hpp"
#include "base/cut_text.hpp"

namespace catena::coordinator {
namespace {

using storage::Notice;
using storage::NoticeKind;

constexpr std::size_t kMessageMax = 300;  // bytes

class NoticeMaker {
 public:
  NoticeMaker(const engine::ChainState& state, const lang::Program& program, Notice& into) : state_{state}, program_{program}, into_{into} {}

  bool operator()(const engine::ChainStarted&) { return about_chain(NoticeKind::started); }
  bool operator()(const engine::ChainForked&) { return about_chain(NoticeKind::started); }
  bool operator()(const engine::PauseChanged& event) {
    if (!event.paused && state_.status == engine::ChainStatus::paused) return false;  // it is paused by another still
    return about_chain(event.paused ? NoticeKind::paused : NoticeKind::resumed);
  }
  bool operator()(const engine::CancelRequested&) { return about_chain(NoticeKind::cancelling); }
  bool operator()(const engine::RetryRequested&) { return about_chain(NoticeKind::retried); }
  bool operator()(const engine::ChainFinished& event) {
    into_.status = name(event.status);
    say(event.error);
    return about(NoticeKind::ended);
  }
  bool operator()(const engine::ChainQuarantined& event) {
    into_.status = name(engine::ChainStatus::quarantined);
    say(event.error);
    return about(NoticeKind::quarantined);
  }
  bool operator()(const engine::VisitEntered& event) { return about_step(NoticeKind::step_began, event.visit, engine::VisitStatus::running); }
  bool operator()(const engine::ItemsExpanded& event) { return about_step(NoticeKind::step_began, event.visit, engine::VisitStatus::running); }
  bool operator()(const engine::VisitSkipped& event) { return about_step(NoticeKind::step_settled, event.visit, engine::VisitStatus::skipped); }
  bool operator()(const engine::VisitSettled& event) {
    say(event.error);
    return about_step(NoticeKind::step_settled, event.visit, event.status);
  }
  template <class Other>
  bool operator()(const Other&) {
    return false;
  }

 private:
  bool about(NoticeKind kind) {
    into_.kind = kind;
    return true;
  }
  bool about_chain(NoticeKind kind) {
    into_.status = name(kind == NoticeKind::paused ? engine::ChainStatus::paused : engine::ChainStatus::running);
    return about(kind);
  }
  bool about_step(NoticeKind kind, const VisitId& visit, engine::VisitStatus status) {
    if (!state_.parent.value.empty()) return false;
    into_.step = program_.steps[visit.step].id;
    into_.visit = visit.visit;
    into_.status = name(status);
    return about(kind);
  }
  void say(const std::optional<Error>& error) {
    if (error) say(*error);
  }
  void say(const Error& error) {
    into_.code = catena::name(error.code);
    into_.message = cut_text(error.message, kMessageMax);
  }

  const engine::ChainState& state_;
  const lang::Program& program_;
  Notice& into_;
};

}  // namespace

std::optional<Notice> notice_of(const engine::Event& event, const engine::ChainState& state, const ChainId& chain, const lang::Program& program) {
  Notice notice;
  if (!std::visit(NoticeMaker{state, program, notice}, event)) return std::nullopt;
  notice.chain = chain;
  notice.definition = program.name;
  notice.sequence = state.seq;
  notice.namespace_ = namespace_of(state.labels);
  std::visit([&](const auto& what) { notice.at = what.at; }, event);
  return notice;
}

void FeedNumbers::note(std::uint64_t number) {
  if (kept_++ % kStride == 0) strides_.push_back(number);
}

void FeedNumbers::add_stored(std::uint64_t number) {
  note(number);
  next_ = number + 1;
}

std::uint64_t FeedNumbers::take() {
  note(next_);
  return next_++;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> FeedNumbers::too_old() {
  if (kept_ < keep_ + 2 * kStride || strides_.size() < 2) return std::nullopt;
  const auto first = strides_.front();
  strides_.pop_front();
  kept_ -= kStride;
  return std::pair{first, strides_.front()};
}

}  // namespace catena::coordinator
