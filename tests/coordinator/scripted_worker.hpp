#pragma once
// A worker that runs nothing: what becomes of each attempt is written in a script, and everything it was asked is kept.
#include <algorithm>
#include <caf/all.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actors/protocol.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace catena::coordinator::test {

/// What becomes of an attempt.
struct Reply {
  enum class How { once, held, twice, foreign_first };
  How how = How::once;
  bool ok = true;
  std::string text;
  Millis after{0};
  std::string checkpoint = {};                     // that the attempt leaves
  std::map<std::string, std::int64_t> usage = {};  // that it had
};

inline Reply answer(std::string response) { return {Reply::How::once, true, std::move(response), {}}; }
inline Reply failure(Code code, bool retryable = false) {
  auto error = make_error(code, "as the script says");
  error.retryable = retryable;
  return {Reply::How::once, false, to_json(error).dump(), {}};
}
inline Reply postponed(Millis by) {
  auto error = make_error(Code::postponed, "not yet");
  error.details = Json{{"retry_after_ms", by.count()}};
  return {Reply::How::once, false, to_json(error).dump(), {}};
}
inline Reply leaving(std::string checkpoint, Reply reply) {
  reply.checkpoint = std::move(checkpoint);
  return reply;
}
/// No answer before the test says so, or the attempt is stopped.
inline Reply held() { return {Reply::How::held, true, {}, {}}; }
inline Reply late(Millis after, Reply reply) {
  reply.after = after;
  return reply;
}
inline Reply in_manner(Reply::How how, Reply reply) {
  reply.how = how;
  return reply;
}

struct Execution {
  std::string key;
  Attempt attempt = 1;
  std::string arguments;
  std::string worker;
  std::string tool;
  std::int64_t timeout_ms = 0;
  std::int64_t age_ms = 0;
  std::vector<std::string> file_arguments = {};
  std::vector<std::string> file_responses = {};
  std::string context = {};
  std::string program = {};
  std::string environment = {};
  std::string directory = {};
  bool work_directory = false;
  std::string trace = {};
  std::uint32_t trace_part = 0;
  std::string tracestate = {};
  std::string resume_from = {};
  std::int64_t heartbeat_ms = 0;
};

/// An attempt that a worker has and has not answered.
struct Pending {
  std::string worker;
  caf::actor reporter;
  std::string chain;
  GrantId grant = 0;
  Incarnation incarnation = 0;
  ItemIndex item = 0;
  Reply reply;
};

class Script {
 public:
  /// Anything that has no line answers with its arguments.
  std::function<Reply(const actors::Attempted&)> otherwise = [](const actors::Attempted& attempt) { return answer(attempt.arguments); };
  bool obeys_stops = true;
  bool reports_orders = false;  // all of an order that is answered at once goes in one report, as workers do it
  std::function<bool(const std::string& key)> begun = [](const std::string&) { return true; };  // of what is pending: the rest can be given back
  std::vector<Execution> executions;
  std::multimap<std::string, Pending> pending;  // by key
  std::size_t most_pending = 0;
  std::size_t largest_order_bytes = 0;  // of arguments
  std::function<std::int64_t(const std::string& worker)> took_us = [](const std::string&) { return 1000; };
  std::size_t stops = 0;
  std::vector<std::pair<std::string, GrantId>> recalls;  // worker and grant
  std::size_t drains = 0;

  void on(const std::string& key, Reply reply) { lines_[key][0] = std::move(reply); }
  void on(const std::string& key, Attempt attempt, Reply reply) { lines_[key][attempt] = std::move(reply); }

  [[nodiscard]] std::size_t count(const std::string& key) const {
    return static_cast<std::size_t>(std::ranges::count(executions, key, &Execution::key));
  }
  [[nodiscard]] const Execution& last(const std::string& key) const {
    return *std::ranges::find(executions.rbegin(), executions.rend(), key, &Execution::key);
  }
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> keys;
    for (const auto& execution : executions) keys.push_back(execution.key);
    return keys;
  }

  [[nodiscard]] Reply reply_to(const actors::Attempted& attempt) const {
    const auto lines = lines_.find(attempt.key);
    if (lines == lines_.end()) return otherwise(attempt);
    const auto exact = lines->second.find(attempt.attempt);
    const auto any = lines->second.find(0);
    if (exact != lines->second.end()) return exact->second;
    return any != lines->second.end() ? any->second : otherwise(attempt);
  }

  /// Answers what is pending under that key, all of it.
  void release(const std::string& key) {
    while (pending.contains(key)) release_one(pending.find(key));
  }
  void release(const std::string& key, Reply reply) {
    for (auto [at, end] = pending.equal_range(key); at != end; ++at) at->second.reply = reply;
    release(key);
  }
  /// What the attempt that is pending under that key says meanwhile.
  void say(const std::string& key, actors::AttemptNote note) {
    const auto& entry = pending.find(key)->second;
    note.chain = entry.chain;
    note.grant = entry.grant;
    note.item = entry.item;
    caf::anon_send(entry.reporter, actors::AttemptNotes{{std::move(note)}});
  }
  void release_together(const std::vector<std::string>& keys) {
    actors::WorkReport report;
    caf::actor reporter;
    for (const auto& key : keys) {
      const auto entry = std::move(pending.extract(pending.find(key)).mapped());
      report.grant = entry.grant;
      report.incarnation = entry.incarnation;
      report.chain = entry.chain;
      report.results.push_back({entry.item, entry.reply.ok, entry.reply.text.empty() ? "{}" : entry.reply.text, took_us(entry.worker)});
      reporter = entry.reporter;
    }
    if (reporter) caf::anon_send(reporter, std::move(report));
  }
  void stop(const std::string& chain, GrantId grant) {
    ++stops;
    if (!obeys_stops) return;
    const auto meant = [&](const auto& entry) { return entry.second.chain == chain && entry.second.grant == grant; };
    for (auto at = std::ranges::find_if(pending, meant); at != pending.end(); at = std::ranges::find_if(pending, meant)) {
      at->second.reply = failure(Code::cancelled);
      release_one(at);
    }
  }

  void give_back(const std::string& worker, const std::string& chain, GrantId grant) {
    recalls.emplace_back(worker, grant);
    const auto meant = [&](const auto& entry) {
      return entry.second.chain == chain && entry.second.grant == grant && entry.second.worker == worker && !begun(entry.first);
    };
    for (auto at = std::ranges::find_if(pending, meant); at != pending.end(); at = std::ranges::find_if(pending, meant)) {
      const auto execution = std::ranges::find_if(executions, [&](const auto& one) { return one.key == at->first && one.worker == worker; });
      if (execution != executions.end()) executions.erase(execution);  // it never began
      at->second.reply = failure(Code::given_back);
      release_one(at);
    }
  }

 private:
  void release_one(std::multimap<std::string, Pending>::iterator at) {
    const auto entry = std::move(at->second);
    pending.erase(at);
    const auto text = entry.reply.text.empty() ? "{}" : entry.reply.text;
    const auto report = [&](Incarnation incarnation) {
      actors::AttemptResult result{entry.item, entry.reply.ok, text, took_us(entry.worker)};
      result.checkpoint = entry.reply.checkpoint;
      result.usage = entry.reply.usage;
      caf::anon_send(entry.reporter, actors::WorkReport{entry.grant, incarnation, {std::move(result)}, entry.chain});
    };
    if (entry.reply.how == Reply::How::foreign_first) {
      caf::anon_send(entry.reporter, actors::WorkReport{entry.grant, entry.incarnation + 7, {{entry.item, true, R"("foreign")", 1000}}, entry.chain});
    }
    report(entry.incarnation);
    if (entry.reply.how == Reply::How::twice) report(entry.incarnation);
  }

  std::map<std::string, std::map<Attempt, Reply>> lines_;
};

struct WorkerSpec {
  std::string id = "w1";
  Incarnation incarnation = 1;
  std::uint32_t slots = 4;
  std::vector<std::string> labels = {"*"};
  std::vector<std::string> kinds = {"*"};
  bool adopts = false;
};

inline void take_order(caf::event_based_actor* self, const std::string& worker, Script& script, const actors::WorkOrder& order) {
  const auto reporter = caf::actor_cast<caf::actor>(self->current_sender());
  std::vector<std::string> at_once;
  std::size_t bytes = 0;
  for (const auto& attempt : order.attempts) bytes += attempt.arguments.size();
  script.largest_order_bytes = std::max(script.largest_order_bytes, bytes);
  for (const auto& attempt : order.attempts) {
    script.executions.push_back({attempt.key, attempt.attempt, attempt.arguments, worker, order.tool, order.timeout_ms, order.age_ms,
                                 order.file_arguments, order.file_responses, order.context, order.program, order.environment, order.directory,
                                 order.work_directory, order.trace, order.trace_part, order.tracestate, attempt.resume_from, order.heartbeat_ms});
    auto reply = script.reply_to(attempt);
    if (reply.after.count() > 0) {
      self->delayed_send(self, reply.after, attempt.key);
    } else if (reply.how != Reply::How::held) {
      at_once.push_back(attempt.key);
    }
    script.pending.emplace(attempt.key, Pending{worker, reporter, order.chain, order.grant, order.incarnation, attempt.item, std::move(reply)});
  }
  script.most_pending = std::max(script.most_pending, script.pending.size());
  if (script.reports_orders) return script.release_together(at_once);
  for (const auto& key : at_once) script.release(key);
}

inline caf::behavior scripted_worker(caf::event_based_actor* self, const WorkerSpec& spec, Script* script, const caf::actor& dispatcher) {
  self->send(dispatcher, actors::Hello{spec.id, spec.incarnation, spec.slots, spec.labels, spec.kinds, {}, spec.adopts});
  return {
      [=](const actors::WorkOrder& order) { take_order(self, spec.id, *script, order); },
      [=](const actors::StopOrder& stop) { script->stop(stop.chain, stop.grant); },
      [=](const actors::GiveBackOrder& back) { script->give_back(spec.id, back.chain, back.grant); },
      [=](const actors::DrainNode& drain) { script->drains += drain.begin ? 1U : 0U; },
      [=](const std::string& key) { script->release(key); },
  };
}

}  // namespace catena::coordinator::test
