// What passes over a worker's link: orders and results, programs, files.
#include <fmt/format.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <utility>

#include "worker/uplink.hpp"

namespace catena::worker {
namespace {

// Of the results in one report: what is sent again of a large order must not become one message.
constexpr std::size_t kReportBytesMax = 1UL << 20U;

Error given_back() { return make_error(Code::given_back, "the worker handed it back before it began"); }

/// Why a program is not there, said of the tool that wants it.
Error without_program(const actors::WorkOrder& order, const Error& why) {
  auto error = make_error(Code::tool_not_started, fmt::format("tool '{}': {}", order.tool, why.message));
  error.retryable = true;
  error.details = why.details;
  return error;
}

bool is_of(const actors::WorkOrder& order, const std::string& chain, GrantId grant) { return order.grant == grant && order.chain == chain; }

}  // namespace

// ---- from the coordinator -------------------------------------------------------------------------------------------

void Uplink::handle_order(actors::WorkOrder order) {
  if (order.incarnation != incarnation_ || state_ != State::linked) return;  // one that was given up has nothing to run
  const auto chain = order.chain;
  const auto grant = order.grant;
  remember_commit(order);
  if (held_.was_let_go(chain, grant)) return begin_anew("the coordinator wants what it had let go of");
  auto taken = held_.take(std::move(order));
  if (taken.foreign)
    return begin_anew("the coordinator gave the number of an order that this worker holds to another: its store was put back to an earlier state");
  send_results(chain, grant, std::move(taken.again));
  auto& fresh = taken.fresh;
  if (fresh.attempts.empty()) return;
  if (draining_) return record(ended_by(fresh, given_back()));
  if (fresh.program.empty()) return run(std::move(fresh));
  if (auto path = program_here(fresh.program)) {
    fresh.target = std::move(*path);
    return run(std::move(fresh));
  }
  if (asked_.insert(fresh.program).second) send(actors::Fetch{fresh.program});
  awaiting_[fresh.program].push_back(std::move(fresh));
}

/// In the cache, or under a tool root: a copy goes into the cache then, which nobody changes while it runs.
std::optional<std::string> Uplink::program_here(const std::string& hash) {
  auto path = programs_.find(hash);
  if (path || !options_.tool_programs) return path;
  const auto content = options_.tool_programs->content(hash);
  if (!content) return std::nullopt;
  auto stored = programs_.store(hash, *content);
  return stored ? std::optional{std::move(*stored)} : std::nullopt;
}

void Uplink::run(actors::WorkOrder order) {
  // its target is the file that was verified, and stays until nobody asks for the order any more
  if (!order.program.empty()) used_[{order.chain, order.grant}] = std::exchange(order.program, {});
  self_->send(node_, std::move(order));
}

void Uplink::release_program(const std::string& chain, GrantId grant) {
  const auto order = used_.extract({chain, grant});
  if (order.empty()) return;
  const auto& hash = order.mapped();
  if (std::ranges::none_of(used_, [&](const auto& entry) { return entry.second == hash; })) programs_.release(hash);
}

void Uplink::release_programs() {
  for (const auto& [order, hash] : std::exchange(used_, {})) programs_.release(hash);
}

void Uplink::handle_content(actors::Content content) {
  auto waiting = awaiting_.extract(content.hash);
  const bool asked = asked_.erase(content.hash) != 0;
  if (waiting.empty()) {
    // those that waited were given back meanwhile: kept all the same, or what takes longer than a lease would be fetched for ever
    const bool in_use = std::ranges::any_of(used_, [&](const auto& entry) { return entry.second == content.hash; });
    if (!asked || !content.found || in_use) return;
    if (programs_.store(content.hash, content.bytes)) programs_.release(content.hash);
    return;
  }
  auto path = content.found
                  ? programs_.store(content.hash, content.bytes)
                  : Result<std::string>{fail(Code::tool_not_started, fmt::format("its program ({}) could not be fetched from the coordinator: {}",
                                                                                 content.hash, content.bytes))};
  for (auto& order : waiting.mapped()) {
    if (path) {
      order.target = *path;
      run(std::move(order));
    } else {
      record(ended_by(order, without_program(order, path.error())));
    }
  }
}

void Uplink::handle_stop(const actors::StopOrder& stop) {
  end_waiting(stop.chain, stop.grant, make_error(Code::cancelled, "cancelled before it began"));
  self_->send(node_, stop);
}

void Uplink::handle_drain(const actors::DrainNode& order) {
  if (order.begin) return drain(/*for_good=*/false);
  if (!draining_ || leaves_) return;
  draining_ = status_.draining = drain_heard_ = false;
  drain_told_ms_ = 0;
  say("no longer draining: this worker takes work again");
  send_heartbeat();
}

/// Whether it is settled or nobody wants it: what of it still runs is stopped.
void Uplink::forget(const std::string& chain, GrantId grant, bool runs) {
  for (auto& [hash, orders] : awaiting_) std::erase_if(orders, [&](const actors::WorkOrder& order) { return is_of(order, chain, grant); });
  std::erase_if(awaiting_, [](const auto& entry) { return entry.second.empty(); });
  if (runs) self_->send(node_, actors::StopOrder{chain, grant});
  release_program(chain, grant);
}

void Uplink::give_back(const std::string& chain, GrantId grant) {
  end_waiting(chain, grant, given_back());
  self_->send(node_, actors::GiveBackOrder{chain, grant});
}

void Uplink::give_back_all() {
  for (const auto& order : held_.open()) give_back(order.chain, order.grant);
}

/// Ends what waits for its program.
void Uplink::end_waiting(const std::string& chain, GrantId grant, const Error& error) {
  std::vector<actors::WorkOrder> ended;
  for (auto& [hash, orders] : awaiting_) {
    const auto rest =
        std::stable_partition(orders.begin(), orders.end(), [&](const actors::WorkOrder& order) { return !is_of(order, chain, grant); });
    std::move(rest, orders.end(), std::back_inserter(ended));
    orders.erase(rest, orders.end());
  }
  std::erase_if(awaiting_, [](const auto& entry) { return entry.second.empty(); });
  for (const auto& order : ended) record(ended_by(order, error));
}

// ---- from the node --------------------------------------------------------------------------------------------------

void Uplink::take(actors::WorkReport report) { record(std::move(report)); }

void Uplink::record(actors::WorkReport report) {
  const auto chain = report.chain;
  const auto grant = report.grant;
  send_results(chain, grant, held_.keep(std::move(report)));
}

/// Without a link they wait: the coordinator asks for the order again, and gets them then.
void Uplink::send_results(const std::string& chain, GrantId grant, std::vector<actors::AttemptResult> results) {
  if (!linked()) return;
  for (std::size_t at = 0; at < results.size();) {
    actors::WorkReport report;
    report.chain = chain;
    report.grant = grant;
    report.incarnation = incarnation_;
    for (std::size_t bytes = 0; at < results.size() && bytes < kReportBytesMax; ++at) {
      bytes += results[at].text.size();
      report.results.push_back(std::move(results[at]));
    }
    send(std::move(report));
  }
}

void Uplink::send(const actors::NodeMessage& message) {
  if (linked()) channel_->say(message);
}

// ---- files ----------------------------------------------------------------------------------------------------------

void Uplink::take(AskFile& ask, const caf::actor& asker) {
  const auto id = ++file_calls_;
  auto& wait = files_[id];
  wait = {asker, {id, std::move(ask.ask)}, now() + ask.timeout_ms, false};
  ask_files();
}

/// In order, while not too much is on its way: heartbeats and results want a place on the link too.
void Uplink::ask_files() {
  if (!linked()) return;
  std::size_t on_the_way = 0;
  for (const auto& [id, wait] : files_) on_the_way += wait.sent ? content_bytes(wait.call.ask) : 0;
  for (auto& [id, wait] : files_) {
    if (wait.sent) continue;
    const auto bytes = content_bytes(wait.call.ask);
    if (on_the_way > 0 && on_the_way + bytes > actors::kFileBytesOnTheWay) break;
    on_the_way += bytes;
    wait.sent = true;
    send(wait.call);
  }
}

void Uplink::handle_file_answer(actors::FileAnswer answer) {
  const auto wait = files_.extract(answer.id);
  if (wait.empty()) return;
  self_->send(wait.mapped().asker, FileAnswered{std::move(answer.reply)});
  ask_files();
}

void Uplink::fail_files(const std::string& why, const std::function<bool(const FileWait& wait)>& which) {
  for (auto at = files_.begin(); at != files_.end();) {
    auto& wait = at->second;
    if (!which(wait)) {
      ++at;
      continue;
    }
    auto error =
        make_error(Code::connection_failed, fmt::format("the file store of the cluster did not answer ({}): {}", name(wait.call.ask.verb), why));
    self_->send(wait.asker, FileAnswered{actors::failed_reply(std::move(error))});
    at = files_.erase(at);
  }
  ask_files();
}

/// On a new link, for what the last one did not bring.
void Uplink::ask_again() {
  asked_.clear();
  for (const auto& [hash, orders] : awaiting_) {
    asked_.insert(hash);
    send(actors::Fetch{hash});
  }
  for (auto& [id, wait] : files_) wait.sent = false;
  ask_files();
}

}  // namespace catena::worker
