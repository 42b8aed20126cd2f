// The history of a chain, of a step or of an item: what is read for one answer is a slice of it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/cut_text.hpp"
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

/// Finds the marks of epochs among events.
class EpochMarks {
 public:
  void add(Sequence sequence, const engine::Event& event) {
    if (const auto* started = std::get_if<engine::ChainStarted>(&event)) put({.sign = EpochSign::submitted, .sequence = sequence, .at = started->at});
    if (const auto* retried = std::get_if<engine::RetryRequested>(&event)) open(sequence, *retried);
    if (const auto* forked = std::get_if<engine::ChainForked>(&event)) {
      open(marked(EpochSign::forked, sequence, *forked));
    }
    if (const auto* finished = std::get_if<engine::ChainFinished>(&event)) end(sequence, finished->status, finished->error, finished->at);
    if (const auto* apart = std::get_if<engine::ChainQuarantined>(&event)) end(sequence, engine::ChainStatus::quarantined, apart->error, apart->at);
    if (opened_at_) look_for_given(sequence, event);
  }
  void count(std::int64_t attempts) {
    attempts_ += attempts;
    opened_at_.reset();
  }
  /// Events of the turn in which a chain is opened belong together.
  [[nodiscard]] bool in_opening(UnixMillis at) const { return opened_at_ == at; }
  [[nodiscard]] std::size_t size() const { return marks_.size(); }
  [[nodiscard]] std::vector<EpochMark> take() { return std::move(marks_); }
  [[nodiscard]] bool names_steps_given() const {
    return std::ranges::any_of(marks_, [](const EpochMark& mark) { return mark.sign == EpochSign::given && !mark.steps.empty(); });
  }
  /// A fan-out that settled when its chain was opened had all that it waits for: nobody gave it anything.
  void drop_fan_outs(const engine::ChainState& state) {
    std::erase_if(marks_, [&](const EpochMark& mark) {
      return mark.sign == EpochSign::given && !mark.steps.empty() && mark.steps.front() < state.steps.size() &&
             state.steps[mark.steps.front()].fan_out;
    });
  }
  [[nodiscard]] std::int64_t behind() const { return attempts_; }

 private:
  static constexpr std::size_t kErrorBytesMarked = 200;
  static constexpr std::size_t kReasonBytesMarked = 200;

  void put(EpochMark mark) {
    mark.attempts = std::exchange(attempts_, 0);
    marks_.push_back(std::move(mark));
  }
  void open(Sequence sequence, const engine::RetryRequested& event) {
    auto mark = marked(EpochSign::retried, sequence, event);
    mark.other_package = !event.package.empty();
    mark.by_parent = event.for_grant != 0;
    open(std::move(mark));
  }
  void open(EpochMark mark) {
    opened_at_ = mark.sign == EpochSign::retried ? std::optional{mark.at} : std::nullopt;
    put(std::move(mark));
    entered_.clear();
  }
  template <class Opened>
  static EpochMark marked(EpochSign sign, Sequence sequence, const Opened& event) {
    EpochMark mark{.sign = sign, .sequence = sequence, .at = event.at};
    mark.by = cut_text(event.by, kReasonBytesMarked);
    mark.reason = cut_text(event.reason, kReasonBytesMarked);
    mark.steps_all = static_cast<std::uint32_t>(event.steps.size());
    for (const auto& reopened : event.steps) {
      if (mark.steps.size() < kEpochStepsMax) mark.steps.push_back(reopened.step);
    }
    return mark;
  }
  void end(Sequence sequence, engine::ChainStatus status, const std::optional<Error>& error, UnixMillis at) {
    EpochMark mark{.sign = EpochSign::ended, .sequence = sequence, .at = at, .status = status};
    if (error) mark.error = make_error(error->code, std::string{cut_text(error->message, kErrorBytesMarked)});
    put(std::move(mark));
    opened_at_.reset();
  }
  /// A response that a person gives stands in the turn that opens the chain: before anything is granted, and of a step without arguments. Fan-outs
  /// may settle there by what they have; see `drop_fan_outs`.
  void look_for_given(Sequence sequence, const engine::Event& event) {
    if (const auto* given = std::get_if<engine::ItemsGiven>(&event)) put({.sign = EpochSign::given, .sequence = sequence, .at = given->at});
    if (const auto* entered = std::get_if<engine::VisitEntered>(&event); entered != nullptr && !entered->arguments.empty())
      entered_.push_back(entered->visit.step);
    const auto* settled = std::get_if<engine::VisitSettled>(&event);
    if (settled == nullptr || settled->status != engine::VisitStatus::completed || settled->at != opened_at_) return;
    if (std::ranges::find(entered_, settled->visit.step) != entered_.end()) return;
    put({.sign = EpochSign::given, .sequence = sequence, .at = settled->at, .steps = {settled->visit.step}});
  }

  std::vector<EpochMark> marks_;
  std::int64_t attempts_ = 0;
  std::optional<UnixMillis> opened_at_;  // in the turn that opened the chain again
  std::vector<StepIndex> entered_;       // in it, with arguments of their own
};

}  // namespace

Result<AttemptCounts> Inspector::answer(const CountAttempts& ask) {
  if (auto there = summary_of_chain(ask.chain); !there) return fail(std::move(there).error());
  AttemptCounts told;
  std::map<StepIndex, std::int64_t> attempts;
  std::uint32_t events = 0;
  EpochMarks marks;
  const auto count = [&](Sequence sequence, const engine::Event& event) {
    const bool full = events++ >= kEventsCountedMax || marks.size() >= kEpochMarksMax;
    if (full && !(events < 2 * kEventsCountedMax && marks.in_opening(facts_of(event).at))) {
      told.next = sequence;
      return false;
    }
    marks.add(sequence, event);
    const auto add = [&](StepIndex step, std::int64_t number) {
      attempts[step] += number;
      marks.count(number);
    };
    if (const auto* granted = std::get_if<engine::Granted>(&event)) add(granted->visit.step, granted->items.size());
    const auto* ended = std::get_if<engine::AttemptsEnded>(&event);
    const bool given_back = ended != nullptr && ended->error && ended->error->code == Code::given_back;
    if (given_back) add(ended->visit.step, -std::int64_t{ended->items.size()});  // they never began
    return true;
  };
  if (auto read = read_history(kv_, ask.chain, count, std::max<Sequence>(ask.from, 1)); !read) return fail(std::move(read).error());
  for (const auto& [step, number] : attempts) told.steps.push_back({step, number});
  if (marks.names_steps_given()) {
    const auto chain = known(ask.chain);
    if (!chain) return fail(chain.error());
    marks.drop_fan_outs(chain->state());
  }
  told.behind_marks = marks.behind();
  told.marks = marks.take();
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
