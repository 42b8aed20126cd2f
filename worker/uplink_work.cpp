// What passes over a worker's link: orders and results, programs, files.
#include <fmt/format.h>

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "worker/pinned_program.hpp"
#include "worker/uplink.hpp"

namespace catena::worker {
namespace {

// Of the results in one report: what is sent again of a large order must not become one message.
constexpr std::size_t kReportBytesMax = 1UL << 20U;

std::size_t bytes_of(const actors::AttemptResult& result) { return result.text.size() + result.checkpoint.size(); }

bool fits_a_report(const std::vector<actors::AttemptResult>& results) {
  std::size_t bytes = 0;
  return std::ranges::all_of(results, [&bytes](const actors::AttemptResult& result) {
    const bool fits = bytes < kReportBytesMax;
    bytes += bytes_of(result);
    return fits;
  });
}

Error given_back() { return make_error(Code::given_back, "the worker handed it back before it began"); }

/// Why a program is not there, said of the tool that wants it.
Error without_program(const actors::WorkOrder& order, const Error& why) {
  auto error = make_error(Code::tool_not_started, fmt::format("tool '{}': {}", order.tool, why.message));
  error.retryable = true;
  error.details = why.details;
  return error;
}

}  // namespace

// ---- from the coordinator -------------------------------------------------------------------------------------------

void Uplink::handle_order(actors::WorkOrder order) {
  if (order.incarnation != incarnation_ || state_ != State::linked) return;  // one that was given up has nothing to run
  const auto chain = order.chain;
  const auto grant = order.grant;
  remember_commit(order);
  if (held_.was_let_go(chain, grant)) return begin_anew("the coordinator wants what it had let go of");
  auto taken = held_.accept(std::move(order));
  if (taken.foreign)
    return begin_anew("the coordinator gave the number of an order that this worker holds to another: its store was put back to an earlier state");
  notes_.say_again(chain, grant);  // the coordinator may have lost what it was told
  send_results(chain, grant, std::move(taken.again));
  auto& fresh = taken.fresh;
  if (fresh.attempts.empty()) return;
  if (draining_.on()) return record(ended_by(fresh, given_back()));
  if (fresh.program.empty()) return run(std::move(fresh));
  if (const auto path = program_here(fresh.program)) return run_from(*path, std::move(fresh));
  const auto hash = fresh.program;
  if (awaiting_.add(std::move(fresh))) send(actors::Fetch{hash});
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

void Uplink::run_from(const std::string& path, actors::WorkOrder order) {
  if (const auto placed = put_in_place(programs_, path, order); !placed) return record(ended_by(order, without_program(order, placed.error())));
  run(std::move(order));
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
  auto come = awaiting_.come(content.hash);
  if (come.orders.empty()) {
    // those that waited were given back meanwhile: kept all the same, or what takes longer than a lease would be fetched for ever
    const bool in_use = std::ranges::any_of(used_, [&](const auto& entry) { return entry.second == content.hash; });
    if (!come.asked || !content.found || in_use) return;
    if (programs_.store(content.hash, content.bytes)) programs_.release(content.hash);
    return;
  }
  auto path = content.found
                  ? programs_.store(content.hash, content.bytes)
                  : Result<std::string>{fail(Code::tool_not_started, fmt::format("its program ({}) could not be fetched from the coordinator: {}",
                                                                                 content.hash, content.bytes))};
  for (auto& order : come.orders) {
    if (path) {
      run_from(*path, std::move(order));
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
  if (!draining_.take_back()) return;
  status_.draining = false;
  say("no longer draining: this worker takes work again");
  send_heartbeat();
}

/// Whether it is settled or nobody wants it: what of it still runs is stopped.
void Uplink::forget(const std::string& chain, GrantId grant, bool runs) {
  static_cast<void>(awaiting_.take(chain, grant));
  notes_.forget(chain, grant);
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
  for (const auto& order : awaiting_.take(chain, grant)) record(ended_by(order, error));
}

// ---- from the node --------------------------------------------------------------------------------------------------

void Uplink::on(actors::WorkReport report) { record(std::move(report)); }

void Uplink::on(actors::AttemptNotes& said) {
  for (auto& note : said.notes) notes_.add(std::move(note));
}

void Uplink::record(actors::WorkReport report) {
  for (const auto& result : report.results) notes_.ended(report.chain, report.grant, result.item);
  report.incarnation = incarnation_;
  const auto kept = held_.keep(std::move(report));
  if (!kept || !linked()) return;
  const auto& known = std::get<actors::WorkReport>(*kept);
  if (fits_a_report(known.results)) return send(*kept);
  send_results(known.chain, known.grant, known.results);
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
      bytes += bytes_of(results[at]);
      report.results.push_back(std::move(results[at]));
    }
    send(std::move(report));
  }
}

void Uplink::send(const actors::NodeMessage& message) {
  if (linked()) channel_->say(message);
}

// ---- files ----------------------------------------------------------------------------------------------------------

void Uplink::on(AskFile& ask, const caf::actor& asker) {
  files_.add(asker, std::move(ask.ask), now() + ask.timeout_ms);
  ask_files();
}

void Uplink::ask_files() {
  if (!linked()) return;
  for (auto& call : files_.next()) send(std::move(call));
}

void Uplink::handle_file_answer(actors::FileAnswer answer) {
  const auto asker = files_.answered(answer.id);
  if (!asker) return;
  self_->send(*asker, FileAnswered{std::move(answer.reply)});
  ask_files();
}

void Uplink::fail_files(std::vector<FileWaits::Ended> ended) {
  for (auto& [asker, reply] : ended) self_->send(asker, FileAnswered{std::move(reply)});
  ask_files();
}

/// On a new link, for what the last one did not bring.
void Uplink::ask_again() {
  for (const auto& hash : awaiting_.begin_link()) send(actors::Fetch{hash});
  files_.begin_link();
  ask_files();
}

// ---- what attempts say ------------------------------------------------------------------------------------------------

/// Only when nothing else waits for the link: what is said meanwhile takes the place of what was said before.
bool Uplink::say_notes() {
  if (state_ != State::linked || channel_->link().waiting() > 0) return false;
  auto notes = notes_.take();
  if (notes.empty()) return false;
  send(actors::AttemptNotes{std::move(notes)});
  return true;
}

// ---- what attempts print --------------------------------------------------------------------------------------------

/// Some of it, for the link to take at once: only when nothing else waits there, and no more than the coordinator keeps up with. False: nothing.
bool Uplink::say_logs() {
  if (!options_.logs || state_ != State::linked || channel_->link().waiting() > 0) return false;
  auto taken = options_.logs->take(log_credit_);
  if (taken.pieces.empty()) return false;
  log_credit_ -= taken.bytes;
  send(actors::LogPieces{std::move(taken.pieces), taken.dropped});
  return true;
}

}  // namespace catena::worker
