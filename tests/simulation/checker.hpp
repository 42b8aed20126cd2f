#pragma once
// What must hold when the chains of a world have ended, whatever happened on the way. Answers with what does not, in words.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/wire.hpp"
#include "coordinator/values.hpp"
#include "storage/keys.hpp"
#include "storage/log_store.hpp"
#include "storage/submission_keys.hpp"
#include "tests/engine/invariants.hpp"
#include "tests/simulation/world.hpp"

namespace catena::simulation {

class Checker {
 public:
  explicit Checker(World& world) : world_{world} {}

  /// Of what was executed and what was written.
  void check_outcome(const std::map<std::string, actors::ChainEnded>& expected) {
    check_answers(expected);
    for (const auto& chain : world_.chains) {
      if (chain.ended && world_.exists(chain.id)) read(chain.id, *chain.sample->package);
    }
    check_results();
    check_executions();
    check_waits();
    for (const auto& words : world_.defects) broken(words);
  }

  /// Of what is stored, where attempts may have been made that the store has forgotten: every result belongs to its step.
  void check_store() {
    for (const auto& chain : world_.chains) {
      if (chain.ended && world_.exists(chain.id)) read(chain.id, *chain.sample->package);
    }
    check_results();
  }

  /// Of what the chains answered.
  void check_answers(const std::map<std::string, actors::ChainEnded>& expected) {
    for (const auto& chain : world_.chains) {
      if (!chain.ended) {
        broken("chain " + chain.id.value + " did not end");
        continue;
      }
      const auto& calm = expected.at(chain.sample->name);
      if (chain.cancelled && chain.ended->status == engine::ChainStatus::cancelled) continue;
      if (chain.ended->status != calm.status)
        broken("chain " + chain.id.value +
               " ended as another than in calm weather: " + (chain.ended->error ? render(*chain.ended->error) : std::string{}));
      if (chain.sample->exact && chain.ended->response.text != calm.response.text) {
        broken("chain " + chain.id.value + " answers " + chain.ended->response.text + " and not " + calm.response.text);
      }
    }
  }

  /// Of what is left in memory. Everything is calm and long over; every worker greets once more and shows what it holds.
  void check_rest() {
    world_.dismiss_guests();
    constexpr std::int64_t kComesBackMs = 4000;  // of a worker whose last call is not answered: until it gives that up, and calls again
    constexpr std::int64_t kAWhileMs = kComesBackMs + (kLeasesOfPatience + 3) * kLeaseMs;
    world_.run_for(Millis{kAWhileMs});
    check_tickets();
    std::set<Process> greeted;
    world_.network.on_greeting = [&](Process worker, const actors::Greeting& greeting) {
      greeted.insert(worker);
      for (const auto& held : greeting.held) broken(name_of(worker) + " still holds grant " + std::to_string(held.grant.value) + " of " + held.chain);
    };
    world_.network.on_frame = [&](Process, const link::Frame& frame) {
      const auto message = frame.bytes.empty() ? Result<actors::NodeMessage>{actors::Heartbeat{}} : actors::decode_message(frame.bytes);
      if (!message) return broken("a frame does not decode: " + message.error().message);
      if (const auto* order = std::get_if<actors::WorkOrder>(&*message))
        broken("a session still has grant " + std::to_string(order->grant.value) + " of " + order->chain);
      if (const auto* left = std::get_if<actors::LetGo>(&*message))
        broken("a session lets go of grant " + std::to_string(left->grant.value) + " of " + left->chain + " late");
    };
    world_.network.cut_all(Cut::told);
    world_.run_for(Millis{3 * kLeaseMs});
    world_.network.on_greeting = nullptr;
    world_.network.on_frame = nullptr;
    for (const auto& worker : world_.workers) {
      if (!greeted.contains(worker.process)) broken(worker.name + " does not come back");
      if (worker.process == 0) continue;
      check_actors(worker.process, {"node", "uplink"});
      const auto& node = World::state_of<NodeState>(worker.node);
      if (!node.queue.empty() || !node.running.empty()) broken(worker.name + " is still busy");
    }
    check_coordinator();
    check_keys();
  }

  /// Of what is kept of what attempts printed: it is theirs, and comes to what the store says. How many segments there are.
  std::uint64_t check_logs() {
    std::set<std::pair<std::string, Attempt>> made;
    for (const auto& execution : world_.log.executions) made.emplace(execution.key, execution.attempt);
    std::uint64_t count = 0;
    std::vector<ChainId> all;
    const auto listed = storage::list_summaries(world_.kv.kv, {}, [&](const storage::ChainSummary& summary) {
      all.push_back(summary.id);
      return true;
    });
    if (!listed) broken(render(listed.error()));
    for (const auto& chain : all) count += check_logs_of(chain, made);
    return count;
  }

  [[nodiscard]] const std::vector<std::string>& found() const { return found_; }

 private:
  std::uint64_t check_logs_of(const ChainId& chain, const std::set<std::pair<std::string, Attempt>>& made) {
    const auto totals = World::must(storage::load_log_totals(world_.kv.kv, chain));
    std::uint64_t bytes = 0;
    std::uint64_t last = 0;
    std::uint64_t count = 0;
    const auto scanned = storage::scan_segments(world_.kv.kv, chain, 1, [&](std::uint64_t number, const storage::LogSegment& segment) {
      const auto key = segment.text.substr(0, segment.text.find('\n'));
      if (!made.contains({key, segment.attempt})) broken("what is kept of " + chain.value + " was printed by nobody: " + key);
      if (!key.starts_with(chain.value + "/" + segment.step)) broken("step " + segment.step + " has what was printed by " + key);
      bytes += segment.text.size() + actors::kLogPieceCost;
      last = number;
      ++count;
      return true;
    });
    if (!scanned) broken(render(scanned.error()));
    if (totals.bytes != bytes)
      broken("what is kept of " + chain.value + " comes to " + std::to_string(bytes) + ", not to " + std::to_string(totals.bytes));
    if (last >= totals.next) broken("the next segment of " + chain.value + " would replace one");
    return count;
  }

  void broken(std::string words) { found_.push_back(std::move(words)); }
  [[nodiscard]] std::string name_of(Process process) const {
    const auto worker = std::ranges::find(world_.workers, process, &World::Worker::process);
    return worker == world_.workers.end() ? "process " + std::to_string(process) : worker->name;
  }

  /// Folds a chain's journal by the rules of the engine, and keeps which items were granted and with which write they settled.
  void read(const ChainId& chain, const lang::Package& package) {
    const auto events = world_.history(chain);
    const auto definition = world_.state(chain).definition;
    const auto plan = engine::prepare(package.programs.at(definition), chain);
    engine::ChainState state;
    std::set<std::string> children;
    Sequence sequence = 0;
    for (const auto& event : events) {
      auto next = state;
      engine::evolve(next, event);
      const auto write = world_.kv.write_of(chain, ++sequence);
      const auto keys = [&](const VisitId& visit, const IndexSet& items, auto&& use) {
        const auto& step = plan.program->steps[visit.step];
        items.for_each([&](ItemIndex item) { use(coordinator::task_key(chain, step, visit, item)); });
      };
      if (sequence > 1) {  // before the first there is no state to judge
        const engine::test::EventCheck check{plan, state, next};
        auto wrong = std::visit(check, event);
        if (wrong.empty()) wrong = check.moves(std::holds_alternative<engine::RetryRequested>(event));
        if (wrong.empty()) wrong = engine::test::check_state(plan, next);
        if (!wrong.empty()) broken("chain " + chain.value + ": " + wrong + " at " + engine::to_json(event).dump());
      }
      if (const auto* granted = std::get_if<engine::Granted>(&event)) {
        const bool composite = std::holds_alternative<lang::ProgramCall>(plan.program->steps[granted->visit.step].call);
        keys(granted->visit, granted->items, [&](const std::string& key) {
          ++granted_[key];
          if (composite) children.insert(key);
        });
      } else if (const auto* settled = std::get_if<engine::ItemsSettled>(&event)) {
        keys(settled->visit, settled->ok, [&](const std::string& key) { settled_.emplace(key, write); });
        if (!runs_children(*plan.program, settled->visit)) expect_items(chain, plan.program->steps[settled->visit.step], *settled);
        keys(settled->visit, settled->bad, [&](const std::string& key) { settled_.emplace(key, write); });
      } else if (const auto* armed = std::get_if<engine::RetryArmed>(&event)) {
        keys(armed->visit, armed->items, [&](const std::string& key) { armed_.insert(key); });
      } else if (const auto* visit = std::get_if<engine::VisitSettled>(&event)) {
        if (!plan.program->steps[visit->visit.step].each) {
          keys(visit->visit, IndexSet::one(0), [&](const std::string& key) {
            settled_.emplace(key, write);
            if (visit->status == engine::VisitStatus::completed && !runs_children(*plan.program, visit->visit))
              stored_.emplace_back(key, 0, World::must(coordinator::read_payload(world_.kv.kv, visit->response)).text);
          });
        }
      }
      state = std::move(next);
    }
    for (const auto& child : children) {
      if (world_.exists(ChainId{child})) read(ChainId{child}, package);
    }
  }

  [[nodiscard]] static bool runs_children(const lang::Program& program, const VisitId& visit) {
    return std::holds_alternative<lang::ProgramCall>(program.steps[visit.step].call);
  }
  /// What the ledger holds of items that succeeded.
  void expect_items(const ChainId& chain, const lang::Step& step, const engine::ItemsSettled& settled) {
    if (!step.each) return;
    settled.ok.for_each([&](ItemIndex item) {
      stored_.emplace_back(coordinator::task_key(chain, step, settled.visit, item), item,
                           World::must(coordinator::read_item(world_.kv.kv, chain, settled.visit, item)).text);
    });
  }

  /// Each result that is stored as a task's is what an attempt of that very task answered.
  void check_results() {
    std::multimap<std::string, const Execution*> made;
    for (const auto& execution : world_.log.executions) made.emplace(execution.key, &execution);
    for (const auto& [key, item, text] : stored_) {
      const auto [from, to] = made.equal_range(key);
      const bool answered = std::any_of(from, to, [&, item = item, &text = text](const auto& entry) {
        const auto& execution = *entry.second;
        const auto result = result_of(world_.options.manner, execution.key, execution.attempt, item, execution.arguments);
        return result.ok && Json::parse(result.text) == Json::parse(text);
      });
      if (!answered) broken(key + " has the result " + text + ", which no attempt of it answered");
    }
  }

  /// No attempt that waits for its turn is made before, unless the wall clock of a coordinator that started meanwhile says that the time
  /// has passed.
  void check_waits() {
    constexpr Millis kInterval{40};  // of chains.hpp
    std::map<std::pair<std::string, Attempt>, const Execution*> answered;
    for (const auto& execution : world_.log.executions) {
      if (execution.end == Execution::End::answered) answered.emplace(std::pair{execution.key, execution.attempt}, &execution);
    }
    for (const auto& execution : world_.log.executions) {
      if (execution.attempt < 2 || !armed_.contains(execution.key) || is_lost(execution.key)) continue;
      const auto before = answered.find({execution.key, execution.attempt - 1});
      if (before == answered.end()) continue;
      const auto& [key, first] = *before;
      if (result_of(world_.options.manner, first->key, first->attempt, 0, first->arguments).ok) continue;
      if (execution.at - first->over < kInterval && !is_set_forward(first->over, execution.at))
        broken(execution.key + " is tried again after " + std::to_string((execution.at - first->over).count()) + " ms");
    }
  }
  [[nodiscard]] bool is_set_forward(Millis from, Millis to) const {
    Millis ahead{0};
    for (const auto& [at, wall] : world_.starts) {
      if (at >= from && at <= to && wall > ahead) return true;
      ahead = wall;
    }
    return false;
  }
  /// What became of the task may have been lost with what was not synced: then it may be made again.
  [[nodiscard]] bool is_lost(const std::string& key) const {
    const auto chain = std::ranges::find(world_.chains, key.substr(0, key.find('/')), [](const auto& one) { return one.id.value; });
    return chain != world_.chains.end() && chain->lost;
  }

  /// A chain that does not live is ended where it is stored: nobody waits for workers that may hold an order of it.
  [[nodiscard]] bool is_cancelled(const std::string& key) const {
    const auto chain = std::ranges::find(world_.chains, key.substr(0, key.find('/')), [](const auto& one) { return one.id.value; });
    return chain != world_.chains.end() && chain->ended && chain->ended->status == engine::ChainStatus::cancelled;
  }

  void check_executions() {
    std::set<std::pair<std::string, Attempt>> attempts;
    std::map<std::string, std::size_t> executed;
    std::map<std::string, const Execution*> first;
    for (const auto& execution : world_.log.executions) {
      const auto attempt = execution.key + " (attempt " + std::to_string(execution.attempt) + ")";
      const bool lost = is_lost(execution.key);
      if (!attempts.emplace(execution.key, execution.attempt).second && !lost) broken(attempt + " was made twice");
      ++executed[execution.key];
      const auto known = first.emplace(execution.key, &execution).first->second;
      if (known->arguments != execution.arguments) broken(attempt + " had other arguments");
      const auto settled = settled_.find(execution.key);
      if (settled != settled_.end() && !lost && !is_cancelled(execution.key) && execution.begun >= settled->second)
        broken(attempt + " began after it had settled");
    }
    for (const auto& [key, times] : executed) {
      if (is_lost(key)) continue;
      if (times > granted_[key]) broken(key + " was made more often than it was granted");
      const auto chain = std::ranges::find(world_.chains, key.substr(0, key.find('/')), [](const auto& one) { return one.id.value; });
      if (chain != world_.chains.end() && chain->sample->once && times > 1) broken(key + " was made " + std::to_string(times) + " times");
    }
  }

  void check_tickets() {
    const auto& dispatcher = World::state_of<coordinator::DispatcherState>(world_.dispatcher);
    for (const auto& worker : world_.workers) {
      const auto* node = dispatcher.placement.node(WorkerId{worker.name});
      if (node == nullptr) {
        broken(worker.name + " is not registered");
      } else if (node->free != static_cast<std::int64_t>(node->slots) * engine::kOrdersPerSlot || node->slots != worker.slots) {
        broken(worker.name + " has room for " + std::to_string(node->free) + " orders in " + std::to_string(node->slots) + " slots");
      }
    }
    if (!dispatcher.chains.empty()) broken("the dispatcher knows chains that are over");
    if (!dispatcher.wants.empty()) broken("the dispatcher has wants of chains that are over");
    if (!dispatcher.claims.empty()) broken("the dispatcher has claims of chains that are over");
  }

  void check_coordinator() {
    const auto& supervisor = World::state_of<coordinator::SupervisorState>(world_.supervisor);
    if (!supervisor.running.empty() || !supervisor.by_address.empty() || !supervisor.deaths.empty())
      broken("the supervisor has chains that are over");
    if (!supervisor.by_key.empty()) broken("chains that are over have berths in their families");
    if (!supervisor.keyed.empty() || !supervisor.keyed_chains.empty()) broken("the supervisor waits for submissions that were answered");
    if (!supervisor.deferred.empty() || !supervisor.swept.empty() || !supervisor.sweep->idle()) broken("the supervisor has work left");
    std::vector<std::string> names{"dispatcher", "front", "housekeeper", "journal", "log_keeper", "schedule_keeper", "supervisor", "token_keeper"};
    names.insert(names.end(), world_.workers.size(), "session");
    check_actors(kCoordinator, std::move(names));
  }

  /// A key and its chain became durable together, whatever that chain asked for.
  void check_keys() {
    const auto range = storage::keys::submissions();
    const auto scanned = world_.kv.kv.scan(range.from, range.to, [&](std::string_view at, std::string_view) {
      const auto submission = World::must(storage::load_submission(world_.kv.kv, at.substr(2)));
      const auto summary = World::must(storage::load_summary(world_.kv.kv, submission->chain));
      if (!summary) {
        broken("there is a key of a chain that is not there: " + storage::keys::printable(at));
      } else if (summary->started_at != submission->started_at) {
        broken("a key is of an earlier start of its chain");
      }
      return true;
    });
    if (!scanned) broken("the keys of submissions cannot be read");
  }

  void check_actors(Process process, std::vector<std::string> expected) {
    auto living = world_.schedule.living_in(process);
    std::ranges::sort(living);
    std::ranges::sort(expected);
    std::string names;
    for (const auto& name : living) names += ' ' + name;
    if (living != expected) broken("process " + std::to_string(process) + " has these actors:" + names);
  }

  World& world_;
  std::vector<std::string> found_;
  std::map<std::string, std::size_t> granted_;
  std::map<std::string, std::uint64_t> settled_;                         // the write that says so
  std::set<std::string> armed_;                                          // tasks whose failed attempt was waited for
  std::vector<std::tuple<std::string, ItemIndex, std::string>> stored_;  // tasks that succeeded, with the results that are stored as theirs
};

}  // namespace catena::simulation
