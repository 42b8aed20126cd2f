#pragma once
// The part of a worker that runs attempts, without threads: attempts take virtual time, and what becomes of one follows from its key and
// number alone. Everything that begins is written down.
#include <algorithm>
#include <caf/all.hpp>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/protocol.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "tests/simulation/schedule.hpp"
#include "worker/log_buffer.hpp"

namespace catena::simulation {

struct Execution {
  enum class End { none, answered, stopped };
  std::string key;
  Attempt attempt = 1;
  std::string arguments;
  Process worker = 0;
  Incarnation incarnation = 0;
  std::uint64_t begun = 0;  // writes of the store by then
  Millis at{0};
  End end = End::none;
  Millis over{0};  // of one that was answered
};

/// All that was begun anywhere.
struct Log {
  std::vector<Execution> executions;
  std::uint64_t given_back = 0;
  std::uint64_t stopped = 0;
};

/// How attempts go in this run.
struct Manner {
  std::uint64_t seed = 0;
  std::int64_t longest_ms = 40;
  std::uint32_t long_one_in = 12;  // attempts that last longer than a lease
  std::int64_t very_long_ms = 3000;
  bool signs = false;  // a response says which task it answers
};

inline std::uint64_t number_of(const std::string& text, std::uint64_t seed) {
  auto number = mix(seed);
  for (const auto c : text) number = mix(number ^ static_cast<unsigned char>(c));
  return number;
}

/// Names of steps say how their attempts go: `r…` fail at their first attempt now and then, in `t…` some items never succeed. Whoever
/// was asked, and however often: the outcome of a chain is the same.
inline actors::AttemptResult result_of(const Manner& manner, const std::string& key, Attempt attempt, ItemIndex item, const std::string& arguments) {
  const auto step = key.find('/');
  const auto how = step == std::string::npos ? 'x' : key[step + 1];
  const auto number = number_of(key.substr(std::min(step, key.size())), 1);
  const auto failed = [&](Code code, bool retryable) {
    auto error = make_error(code, "as the script says");
    error.retryable = retryable;
    return actors::AttemptResult{item, false, to_json(error).dump(), 1000};
  };
  if (how == 'r' && attempt == 1 && number % 3 == 0) return failed(Code::tool_temporary, true);
  if (how == 't' && number % 4 == 0) return failed(Code::tool_failed, false);
  if (!manner.signs) return {item, true, arguments, 1000};
  // The same in every world: without the chain that was submitted.
  auto signed_by = R"({"by": ")" + key.substr(std::min(step, key.size())) + '"';
  signed_by += arguments == "{}" ? "}" : ", " + arguments.substr(1);
  return {item, true, std::move(signed_by), 1000};
}

struct NodeSpec {
  Process worker = 0;
  actors::Hello hello;
  Manner manner;
  std::function<bool(actors::Taking taking)> may_begin;
  std::function<std::uint64_t()> writes;
  std::shared_ptr<worker::LogBuffer> logs;  // what attempts print; null: nothing
};

struct NodeState {
  struct Job {
    std::string chain;
    GrantId grant = 0;
    Incarnation incarnation = 0;
    actors::Taking taking = 0;
    actors::Attempted attempt;
    caf::actor reporter;
    std::size_t execution = 0;
  };
  std::deque<Job> queue;
  std::map<std::uint64_t, Job> running;
  std::uint64_t last = 0;
  std::uint64_t finished = 0;
  static inline const char* name = "node";
};

using Node = caf::stateful_actor<NodeState>;

inline void report(Node* self, const NodeState::Job& job, actors::AttemptResult result) {
  ++self->state.finished;
  self->send(job.reporter, actors::WorkReport{job.grant, job.incarnation, {std::move(result)}, job.chain, job.taking});
}

inline void hand_back(Node* self, Log& log, const NodeState::Job& job, Code code) {
  code == Code::given_back ? ++log.given_back : ++log.stopped;
  report(self, job, {job.attempt.item, false, to_json(make_error(code, "it had not begun")).dump(), 0});
}

/// Twice: who they are, and at the end the same once more.
inline void print(const NodeSpec& spec, const NodeState::Job& job, bool ends) {
  if (!spec.logs) return;
  actors::LogPiece piece;
  piece.chain = job.chain;
  piece.grant = job.grant;
  piece.item = job.attempt.item;
  piece.attempt = job.attempt.attempt;
  piece.text = job.attempt.key + "\n";
  piece.offset = ends ? piece.text.size() : 0;
  spec.logs->offer(std::move(piece));
}

inline void begin_what_fits(Node* self, const NodeSpec& spec, Log& log, Schedule& schedule) {
  auto& state = self->state;
  while (state.running.size() < spec.hello.slots && !state.queue.empty()) {
    auto job = std::move(state.queue.front());
    state.queue.pop_front();
    if (!spec.may_begin(job.taking)) {
      hand_back(self, log, job, Code::given_back);
      continue;
    }
    job.execution = log.executions.size();
    log.executions.push_back(
        {job.attempt.key, job.attempt.attempt, job.attempt.arguments, spec.worker, job.incarnation, spec.writes(), schedule.now()});
    print(spec, job, /*ends=*/false);
    Dice own{number_of(job.attempt.key, spec.manner.seed + job.attempt.attempt)};
    const auto longest = own.one_in(spec.manner.long_one_in) ? spec.manner.very_long_ms : spec.manner.longest_ms;
    const auto id = ++state.last;
    self->delayed_send(self, Millis{own.between(1, longest)}, id);
    state.running.emplace(id, std::move(job));
  }
}

/// Jobs of the grant that wait are taken out.
inline std::vector<NodeState::Job> take_waiting(NodeState& state, const std::string& chain, GrantId grant) {
  std::vector<NodeState::Job> taken;
  std::erase_if(state.queue, [&](auto& job) {
    const bool meant = job.grant == grant && job.chain == chain;
    if (meant) taken.push_back(std::move(job));
    return meant;
  });
  return taken;
}

/// As a worker's node: says hello to the uplink, takes its orders, reports to it.
inline caf::behavior node(Node* self, NodeSpec spec, const caf::actor& uplink, Log* log, Schedule* schedule) {
  self->send(uplink, spec.hello);
  return {
      [=](const actors::WorkOrder& order) {
        const auto reporter = caf::actor_cast<caf::actor>(self->current_sender());
        for (const auto& attempt : order.attempts)
          self->state.queue.push_back({order.chain, order.grant, order.incarnation, order.taking, attempt, reporter, 0});
        begin_what_fits(self, spec, *log, *schedule);
      },
      [=](const actors::StopOrder& stop) {
        auto& state = self->state;
        for (const auto& job : take_waiting(state, stop.chain, stop.grant)) hand_back(self, *log, job, Code::cancelled);
        std::erase_if(state.running, [&](const auto& entry) {
          const auto& job = entry.second;
          if (job.grant != stop.grant || job.chain != stop.chain) return false;
          log->executions[job.execution].end = Execution::End::stopped;
          hand_back(self, *log, job, Code::cancelled);
          return true;
        });
        begin_what_fits(self, spec, *log, *schedule);
      },
      [=](const actors::GiveBackOrder& back) {
        for (const auto& job : take_waiting(self->state, back.chain, back.grant)) hand_back(self, *log, job, Code::given_back);
      },
      [=](std::uint64_t ended) {
        auto entry = self->state.running.extract(ended);
        if (!entry.empty()) {
          const auto& job = entry.mapped();
          log->executions[job.execution].end = Execution::End::answered;
          log->executions[job.execution].over = schedule->now();
          print(spec, job, /*ends=*/true);
          report(self, job, result_of(spec.manner, job.attempt.key, job.attempt.attempt, job.attempt.item, job.attempt.arguments));
        }
        begin_what_fits(self, spec, *log, *schedule);
      },
  };
}

}  // namespace catena::simulation
