#include "coordinator/traces/spans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "actors/worker_offer.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"

namespace catena::coordinator {
class SpanMaker::Maker {
  /// Why an attempt is a span: what comes first stays where there is not room for all.
  enum class Kept : std::uint8_t { plain, failed, slow, by_hash };
  static constexpr std::size_t kReasons = 4;
  static constexpr std::uint32_t kBranchesMax = 256;

  struct AttemptFacts {
    VisitId visit;
    ItemIndex item = 0;
    Attempt attempt = 1;
    UnixMillis begin = 0;
    UnixMillis end = 0;
    WorkerId worker;
    std::string how;    // succeeded, failed, lost, cancelled, postponed
    std::string error;  // its code
    friend bool operator==(const AttemptFacts&, const AttemptFacts&) = default;
  };

  /// The longest first; of those that took as long, the first items.
  static bool slower(const AttemptFacts& a, const AttemptFacts& b) {
    return std::pair{b.end - b.begin, std::pair{a.item, a.attempt}} < std::pair{a.end - a.begin, std::pair{b.item, b.attempt}};
  }

  struct VisitFacts {
    UnixMillis begin = 0;
    UnixMillis end = 0;
    bool fan_out = false;
    bool settled = false;
    std::uint32_t width = 0;
    std::uint64_t attempts = 0;
    std::uint64_t failed = 0;
    engine::VisitStatus status = engine::VisitStatus::running;
    std::string error;
    std::vector<AttemptFacts> slowest = {};  // a heap, the quickest on top
  };

  /// A part of a chain: the spans of one trace.
  struct Part {
    ChainTrace trace;
    UnixMillis begin = 0;
    UnixMillis end = 0;
    std::optional<SpanName> before;  // the root of the part before
    std::map<VisitId, VisitFacts> visits = {};
    std::array<std::vector<AttemptFacts>, kReasons> attempts = {};
    std::uint64_t attempts_all = 0;  // that could be spans
  };

  static std::string code_of(const std::optional<Error>& error) { return error ? std::string{catena::name(error->code)} : std::string{}; }

 public:
  Maker(ChainId chain, TraceBounds bounds) : chain_{std::move(chain)}, bounds_{bounds} {}

  void name_steps(std::shared_ptr<const lang::Program> program) { program_ = std::move(program); }
  [[nodiscard]] const engine::ChainState& state() const { return state_; }

  void add(const engine::Event& event) {
    const auto at = std::visit([](const auto& what) { return what.at; }, event);
    const bool retried = std::holds_alternative<engine::RetryRequested>(event);
    if (engine::begins_trace_part(state_, event)) {
      if (retried) entered_.clear();
      open_part(at, state_.trace_part + 1, retried);
    }
    std::visit([&](const auto& what) { look(what); }, event);
    engine::evolve(state_, event);
    const bool forked = std::holds_alternative<engine::ChainForked>(event);  // what was before is of the trace of another chain
    if (forked) {
      entered_.clear();
      parts_.clear();
    }
    if (forked || std::holds_alternative<engine::ChainStarted>(event)) open_part(at, 0, true);
    if (!parts_.empty()) parts_.back().end = std::max(parts_.back().end, at);
  }

  ChainSpans take() {
    ChainSpans made;
    for (auto& part : parts_) {
      if ((part.trace.flags & kTraceSampled) != 0) make(part, made);
    }
    parts_.clear();
    return made;
  }

 private:
  void open_part(UnixMillis at, std::uint32_t number, bool first) {
    std::optional<SpanName> before;
    if (!parts_.empty()) before = SpanName{parts_.back().trace.id, chain_span(parts_.back().trace, chain_), parts_.back().trace.flags};
    if (first) parts_.clear();
    Part part;
    part.trace = chain_trace(chain_, state_.started_at, state_.trace.get(), number);
    part.begin = part.end = at;
    part.before = std::move(before);
    parts_.push_back(std::move(part));
  }

  // ---- events, before they change the state ---------------------------------------------------------------------------

  template <class Other>
  void look(const Other&) {}
  void look(const engine::VisitEntered& event) { enter(event.visit, event.at, false, 1); }
  void look(const engine::ItemsExpanded& event) { enter(event.visit, event.at, true, event.width); }
  void look(const engine::VisitSettled& event) {
    auto* visit = visit_of(event.visit);
    if (visit == nullptr) return;
    visit->settled = true;
    visit->end = event.at;
    visit->status = event.status;
    visit->error = code_of(event.error);
  }
  void look(const engine::AttemptsEnded& event) {
    // What was handed back has not begun.
    if (event.how == engine::Ended::cancelled && event.error && event.error->code == Code::given_back) return;
    const auto how = word(event.how);
    const auto code = event.how == engine::Ended::postponed ? std::string{} : event.error ? code_of(event.error) : std::string{how};
    end_attempts(event.grant, event.visit, event.items, event.at, how, code);
  }
  void look(const engine::ItemsSettled& event) {
    if (event.grant == 0) return;  // a person said so
    end_attempts(event.grant, event.visit, event.ok, event.at, "succeeded", {});
    end_attempts(event.grant, event.visit, event.bad, event.at, "failed", event.error ? code_of(event.error) : "failed");
  }

  static std::string_view word(engine::Ended how) {
    switch (how) {
      case engine::Ended::failed: return "failed";
      case engine::Ended::lost: return "lost";
      case engine::Ended::cancelled: return "cancelled";
      case engine::Ended::postponed: return "postponed";
    }
    return "failed";
  }

  void enter(const VisitId& id, UnixMillis at, bool fan_out, std::uint32_t width) {
    if (parts_.empty()) return;
    VisitFacts visit;
    visit.begin = at;
    visit.fan_out = fan_out;
    visit.width = width;
    parts_.back().visits.insert_or_assign(id, std::move(visit));
    entered_[id.step] = {id.visit, parts_.size() - 1};
  }

  /// In the part in which it was entered. A visit that a retry takes up again has no span there: its attempts are below the part's.
  VisitFacts* visit_of(const VisitId& id) {
    const auto entered = entered_.find(id.step);
    if (entered == entered_.end() || entered->second.first != id.visit || entered->second.second >= parts_.size()) return nullptr;
    const auto visit = parts_[entered->second.second].visits.find(id);
    return visit == parts_[entered->second.second].visits.end() ? nullptr : &visit->second;
  }

  void end_attempts(GrantId id, const VisitId& visit_id, const IndexSet& items, UnixMillis at, std::string_view how, const std::string& code) {
    const auto grant = state_.grants.find(id);
    if (parts_.empty() || items.empty() || grant == state_.grants.end() || visit_id.step >= state_.steps.size()) return;
    const auto& tries = state_.steps[visit_id.step].tries;
    auto* visit = visit_of(visit_id);
    const bool fan_out = state_.steps[visit_id.step].fan_out;
    // Spans of branches are below their attempts, where a trace was given.
    const bool holds_branches = grant->second.worker.value == actors::kChainsWorkerName && state_.steps[visit_id.step].width <= kBranchesMax &&
                                !state_.trace.get().parent.empty() && !state_.trace.get().linked;
    auto& part = parts_.back();
    const auto seed = hash64(fmt::format("{}\n{}\n{}", part.trace.id, visit_id.step, visit_id.visit));
    items.for_each([&](ItemIndex item) {
      const auto known = tries.find(item);
      const Attempt attempt = known == tries.end() ? 1 : known->second.all() + 1;
      ++part.attempts_all;
      if (visit != nullptr) ++visit->attempts, visit->failed += code.empty() ? 0 : 1;
      const auto facts = [&] { return AttemptFacts{visit_id, item, attempt, grant->second.at, at, grant->second.worker, std::string{how}, code}; };
      if (!fan_out || holds_branches) return keep(part, Kept::plain, facts);
      if (!code.empty()) return keep(part, Kept::failed, facts);
      if (mix(seed ^ (std::uint64_t{item} << 16U) ^ attempt) % bounds_.one_in == 0) return keep(part, Kept::by_hash, facts);
      if (visit != nullptr) keep_slow(*visit, facts());
    });
  }

  template <class Facts>
  void keep(Part& part, Kept why, const Facts& facts) {
    auto& kept = part.attempts[static_cast<std::size_t>(why)];
    if (kept.size() < bounds_.spans_max) kept.push_back(facts());
  }

  void keep_slow(VisitFacts& visit, AttemptFacts facts) {
    auto& slowest = visit.slowest;
    if (slowest.size() == bounds_.slowest) {
      if (slowest.empty() || !slower(facts, slowest.front())) return;
      std::ranges::pop_heap(slowest, slower);
      slowest.pop_back();
    }
    slowest.push_back(std::move(facts));
    std::ranges::push_heap(slowest, slower);
  }

  // ---- spans ------------------------------------------------------------------------------------------------------------

  [[nodiscard]] const lang::Step* step_of(StepIndex step) const {
    return program_ == nullptr || step >= program_->steps.size() ? nullptr : &program_->steps[step];
  }
  [[nodiscard]] std::string step_name(StepIndex step) const {
    const auto* known = step_of(step);
    return known == nullptr ? std::to_string(step) : known->id;
  }

  Span blank(const Part& part) const {
    Span span;
    span.trace = part.trace.id;
    span.tracestate = part.trace.state;
    span.attributes["catena.chain.id"] = chain_.value;
    return span;
  }

  [[nodiscard]] Span root_span(const Part& part) const {
    auto span = blank(part);
    span.id = chain_span(part.trace, chain_);
    const auto given = span_named(state_.trace.get().parent);
    if (part.before) {
      span.links.push_back(*part.before);
    } else if (given && part.trace.part == 0 && !state_.trace.get().linked) {
      span.parent = given->span;
    } else if (given) {
      span.links.push_back(*given);
    }
    const auto definition = program_ == nullptr ? std::string{} : program_->name;
    span.name = definition.empty() ? "invoke_workflow" : "invoke_workflow " + definition;
    span.begin = part.begin;
    span.end = part.end;
    span.attributes["gen_ai.operation.name"] = "invoke_workflow";
    if (!definition.empty()) span.attributes["catena.definition"] = definition;
    span.attributes["catena.trace.part"] = part.trace.part;
    if (!state_.parent.empty()) span.attributes["catena.parent.chain.id"] = state_.parent.value;
    if (&part != &parts_.back()) return span;
    span.attributes["catena.chain.status"] = engine::name(state_.status);
    span.error = code_of(state_.error);
    if (span.error.empty() && state_.status == engine::ChainStatus::cancelled) span.error = "cancelled";
    return span;
  }

  [[nodiscard]] Span visit_to_span(const Part& part, const VisitId& id, const VisitFacts& visit) const {
    auto span = blank(part);
    span.name = step_name(id.step);
    span.id = visit_span(part.trace, chain_, span.name, id.visit);
    span.parent = chain_span(part.trace, chain_);
    span.begin = visit.begin;
    span.end = visit.settled ? visit.end : parts_.back().end;
    span.error = visit.error;
    span.attributes["catena.step"] = span.name;
    span.attributes["catena.visit"] = id.visit;
    span.attributes["catena.step.status"] = visit.settled ? engine::name(visit.status) : "running";
    if (!visit.fan_out) return span;
    span.attributes["catena.items"] = visit.width;
    span.attributes["catena.attempts"] = visit.attempts;
    span.attributes["catena.attempts.failed"] = visit.failed;
    return span;
  }

  [[nodiscard]] Span attempt_to_span(const Part& part, const AttemptFacts& facts, const std::set<VisitId>& visits) const {
    auto span = blank(part);
    const auto step = step_name(facts.visit.step);
    span.id = attempt_span(part.trace, chain_, step, facts.visit.visit, facts.item, facts.attempt);
    // Its visit may have been entered in another part, or be left out: then it is below the root.
    span.parent = visits.contains(facts.visit) ? visit_span(part.trace, chain_, step, facts.visit.visit) : chain_span(part.trace, chain_);
    span.begin = facts.begin;
    span.end = facts.end;
    span.error = facts.error;
    const auto* known = step_of(facts.visit.step);
    const auto* tool = known == nullptr ? nullptr : std::get_if<lang::ToolCall>(&known->call);
    const bool is_chain = facts.worker.value == actors::kChainsWorkerName;
    span.name = is_chain ? "chain of " + step : tool == nullptr || tool->name.empty() ? "execute_tool" : "execute_tool " + tool->name;
    if (!is_chain) span.attributes["gen_ai.operation.name"] = "execute_tool";
    if (tool != nullptr && !tool->name.empty()) span.attributes["gen_ai.tool.name"] = tool->name;
    span.attributes["catena.step"] = step;
    span.attributes["catena.visit"] = facts.visit.visit;
    if (state_.steps[facts.visit.step].fan_out) span.attributes["catena.item"] = facts.item;
    span.attributes["catena.attempt"] = facts.attempt;
    span.attributes["catena.attempt.outcome"] = facts.how;
    if (!is_chain) span.attributes["catena.worker"] = facts.worker.value;
    return span;
  }

  void make(Part& part, ChainSpans& into) const {
    const auto all = 1 + part.visits.size() + part.attempts_all;
    const auto room_left = bounds_.chain_max - std::min(bounds_.chain_max, into.spans.size());
    auto room = std::min(bounds_.spans_max, room_left);
    const auto before = into.spans.size();
    if (room > 0) {
      auto& spans = into.spans;
      spans.push_back(root_span(part));
      --room;
      std::set<VisitId> visits;
      for (const auto& [id, visit] : part.visits) {
        if (visits.size() >= room / 2 + 1 || room == 0) break;  // attempts want room, too
        spans.push_back(visit_to_span(part, id, visit));
        visits.insert(id);
      }
      room -= std::min(room, visits.size());
      for (auto& [id, visit] : part.visits) {
        std::ranges::sort(visit.slowest, slower);
        auto& slow = part.attempts[static_cast<std::size_t>(Kept::slow)];
        slow.insert(slow.end(), visit.slowest.begin(), visit.slowest.end());
      }
      for (const auto& reason : part.attempts) {
        for (const auto& facts : reason) {
          if (room == 0) break;
          --room;
          spans.push_back(attempt_to_span(part, facts, visits));
        }
      }
    }
    const auto left_out = all - (into.spans.size() - before);
    into.left_out += left_out;
    if (left_out > 0 && into.spans.size() > before) into.spans[before].attributes["catena.spans.left_out"] = left_out;
  }

  ChainId chain_;
  TraceBounds bounds_;
  std::shared_ptr<const lang::Program> program_;
  engine::ChainState state_;
  std::vector<Part> parts_;                                          // since the chain was submitted, or retried last
  std::map<StepIndex, std::pair<Visit, std::size_t>> entered_ = {};  // which visit of each step, and in which of the parts
};

SpanMaker::SpanMaker(ChainId chain, TraceBounds bounds) : maker_{std::make_unique<Maker>(std::move(chain), bounds)} {}
SpanMaker::~SpanMaker() = default;
void SpanMaker::name_steps(std::shared_ptr<const lang::Program> program) { maker_->name_steps(std::move(program)); }
void SpanMaker::add(const engine::Event& event) { maker_->add(event); }
const engine::ChainState& SpanMaker::state() const { return maker_->state(); }
ChainSpans SpanMaker::take() { return maker_->take(); }

}  // namespace catena::coordinator
