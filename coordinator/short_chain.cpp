#include "coordinator/short_chain.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "actors/worker_offer.hpp"
#include "base/overloads.hpp"
#include "coordinator/computing.hpp"
#include "coordinator/evaluation.hpp"
#include "coordinator/feed.hpp"
#include "coordinator/flat_set.hpp"
#include "coordinator/measuring.hpp"
#include "coordinator/summaries.hpp"
#include "coordinator/values.hpp"
#include "engine/items.hpp"
#include "engine/outstanding.hpp"
#include "storage/chain_store.hpp"

namespace catena::coordinator {
namespace {

/// One with more of them has a coordinator of its own, which spreads them over several turns.
constexpr std::uint16_t kShortStepsMax = 64;

/// The turn of such a chain: what a coordinator does with inputs and effects, as far as it can be done at once.
class OneTurn {
 public:
  OneTurn(const ShortChain& chain, Records& records)
      : of_{chain}, records_{records}, program_{*chain.program.prepared.program}, clock_{chain.services.clock->now()} {}

  /// False: it does not end in this turn.
  [[nodiscard]] bool begin(engine::Start start) {
    next_.push_back({std::move(start), now()});
    return run();
  }
  [[nodiscard]] bool go_on(Slept slept) {
    lead_ = slept.lead;
    state_ = std::move(slept.state);
    indexed_ = slept.listed.as;
    checkpointed_ = slept.checkpointed;
    static_cast<void>(apply({engine::TimerDue{}, now()}));  // what is outstanding afterwards covers its effects
    sort(engine::outstanding(of_.program.prepared, state_));
    return run();
  }

  [[nodiscard]] ShortEnd finish() {
    const auto& services = of_.services;
    auto& batch = records_.batch();
    ShortEnd end;
    storage::append_events(batch, of_.chain, state_.seq, static_cast<std::uint32_t>(events_.size()), engine::encode(events_));
    for (const auto& event : events_) {
      count_event(*services.metrics, event, state_, of_.chain);
      if (services.settings.feed_keep == 0) continue;
      if (auto notice = notice_of(event, state_, of_.chain, program_)) end.notices.push_back(std::move(*notice));
    }
    // Its id was checked when it was submitted, or is that of its parent and of a step: it can be a key.
    static_cast<void>(storage::put_summary(batch, summary_of(of_.chain, program_.name, state_, of_.durability, of_.priority), indexed_));
    if (checkpoint_due(services.settings, state_, checkpointed_)) storage::put_checkpoint(batch, of_.chain, engine::encode(state_));
    end.status = state_.status;
    end.response = std::move(state_.response);
    end.error = std::move(state_.error);
    end.computed = computed_;
    end.events = std::move(events_);
    return end;
  }

 private:
  [[nodiscard]] bool run() {
    do {
      while (goes_on_ && !next_.empty()) {
        const auto input = std::move(next_.front());
        next_.erase(next_.begin());
        sort(apply(input));
      }
      if (goes_on_ && !demanding_.empty()) compute(*demanding_.begin());
    } while (goes_on_ && !(next_.empty() && demanding_.empty()));
    return goes_on_ && engine::terminal(state_.status) && !state_.response.in_blob();
  }

  engine::Effects apply(const engine::Input& input) {
    auto decision = engine::decide(of_.program.prepared, state_, input);
    std::ranges::move(decision.events, std::back_inserter(events_));
    return std::move(decision.effects);
  }

  void sort(const engine::Effects& effects) {
    for (const auto& effect : effects) {
      std::visit(Overloads{
                     [&](const engine::Demand& demand) { demanding_.insert(demand.visit); },
                     [&](const engine::Evaluate& evaluate) { evaluate_step(evaluate.visit); },
                     [&](const engine::EvaluateOutputs&) { evaluate_outputs(); },
                     [&](const engine::Wake& wake) { goes_on_ &= wake.due > now(); },  // nobody needs to be woken whose chain has ended
                     [](const engine::Announce&) {},                                   // its parent is told by whoever runs it
                     [&](const OneOf<engine::Shape, engine::Run, engine::Stop, engine::HoldChildren, engine::UseSignal> auto&) { goes_on_ = false; },
                 },
                 effect);
    }
  }

  void evaluate_step(const VisitId& visit) {
    if (reads_store(program_, state_, visit.step)) {
      goes_on_ = false;
      return;
    }
    const ChainScope scope{sources(), of_.chain, program_, state_};
    next_.push_back({coordinator::evaluate_step(program_, of_.chain, visit, scope, records_), now()});
  }

  void evaluate_outputs() {
    if (outputs_read_store(program_, state_)) {
      goes_on_ = false;
      return;
    }
    next_.push_back({coordinator::evaluate_outputs({of_.package, program_, of_.chain, state_, sources()}, records_), now()});
  }

  void compute(const VisitId visit) {
    demanding_.erase(visit);
    const auto& step = program_.steps[visit.step];
    const auto& state = state_.steps[visit.step];
    if (engine::halted(of_.program.prepared, state_, visit.step) || state.visit != visit.visit || engine::grantable(step, state) == 0) return;
    const auto* tools = of_.services.computing.get();
    if (computed_ == kShortStepsMax || !computes_here(tools, program_, state_, visit.step, of_.program.needs[visit.step])) {
      goes_on_ = false;
      return;
    }
    ++computed_;
    auto granted = apply({engine::Offer{visit, WorkerId{std::string{actors::kOwnWorkerName}}, kOwnTurn, 1, of_.grants_after}, now()});
    const auto grant = state_.last_grant;
    std::erase_if(granted, [](const engine::Effect& effect) { return std::holds_alternative<engine::Run>(effect); });
    sort(granted);
    engine::Report report{grant, kOwnTurn, {}};
    report.items.push_back(
        coordinator::compute({*tools, *of_.services.metrics, of_.chain, program_, state_, visit.step, sources(), lead_}, records_));
    sort(apply({std::move(report), now()}));
  }

  [[nodiscard]] Sources sources() const { return {*of_.services.kv, of_.services.files, clock_}; }
  /// The chain's own time: see engine/chain_time.hpp.
  [[nodiscard]] UnixMillis now() const { return clock_ + lead_.count(); }

  const ShortChain& of_;
  Records& records_;
  const lang::Program& program_;
  UnixMillis clock_;
  Millis lead_{0};
  engine::ChainState state_;
  std::optional<storage::IndexedAs> indexed_;  // none: it has no summary yet
  Sequence checkpointed_ = 0;
  std::vector<engine::Event> events_;
  std::vector<engine::Input> next_;
  FlatSet<VisitId> demanding_;
  std::uint16_t computed_ = 0;
  bool goes_on_ = true;
};

}  // namespace

ShortProgram for_short(const std::shared_ptr<const lang::Program>& program) {
  ShortProgram found;
  for (const auto& step : program->steps) found.needs.push_back(engine::need_of(step));
  found.prepared = engine::prepare(program, ChainId{});
  return found;
}

std::unique_ptr<const ShortProgram> short_program(const ComputingTools* tools, const std::shared_ptr<const lang::Program>& program) {
  if (tools == nullptr || std::holds_alternative<lang::SequenceResult>(program->outputs)) return nullptr;
  for (const auto& step : program->steps) {
    const auto* tool = std::get_if<lang::ToolCall>(&step.call);
    if (tool == nullptr || step.each || !tools->has(tool->endpoint) || !engine::need_of(step).labels.empty()) return nullptr;
  }
  return std::make_unique<const ShortProgram>(for_short(program));
}

std::optional<ShortEnd> run_short(const ShortChain& chain, engine::Start start, Records& records) {
  OneTurn turn{chain, records};
  if (!turn.begin(std::move(start))) return std::nullopt;
  return turn.finish();
}

std::optional<ShortEnd> run_last_turn(const ShortChain& chain, Slept slept, Records& records) {
  OneTurn turn{chain, records};
  if (!turn.go_on(std::move(slept))) return std::nullopt;
  return turn.finish();
}

std::optional<StepIndex> branch_of(const engine::Payload& arguments) {
  const auto item = lang::JsonView{arguments.text}.find("item");
  if (!item || item->kind() != lang::JsonKind::number) return std::nullopt;
  return item->parse().get<StepIndex>();
}

bool checkpoint_due(const Settings& settings, const engine::ChainState& state, Sequence checkpointed) {
  const auto lag = state.seq - checkpointed;
  return lag >= settings.checkpoint_every || (engine::terminal(state.status) && lag >= settings.checkpoint_every / 8);
}

}  // namespace catena::coordinator
