#include "worker/outbox.hpp"

#include <caf/send.hpp>
#include <utility>

#include "worker/order_task.hpp"

namespace catena::worker {
namespace {

constexpr std::size_t kOutboxBytesMax = 256UL << 10U;

}  // namespace

std::vector<Job> Outbox::open(actors::WorkOrder order, caf::actor reporter, UnixMillis now) {
  std::vector<Job> jobs;
  if (order.attempts.empty()) return jobs;
  const std::lock_guard lock{mutex_};
  Order entry;
  entry.chain = order.chain;
  entry.reporter = std::move(reporter);
  entry.left = order.attempts.size();
  entry.reported.resize(order.attempts.size());
  entry.report.grant = order.grant;
  entry.report.incarnation = order.incarnation;
  entry.report.taking = order.taking;
  jobs.reserve(order.attempts.size());
  const auto task = std::make_shared<const Task>(task_of(order, now));
  for (auto& attempt : order.attempts) {
    entry.items.push_back(attempt.item);
    jobs.push_back({next_job_ + jobs.size(), order.taking, task, std::move(attempt)});
  }
  orders_.emplace(next_job_, std::move(entry));
  next_job_ += jobs.size();
  return jobs;
}

void Outbox::close(std::uint64_t job, Outcome outcome) {
  bool begins_to_wait = false;
  {
    const std::lock_guard lock{mutex_};
    if (shut_) return;
    const auto found = std::prev(orders_.upper_bound(job));
    auto& order = found->second;
    const auto at = job - found->first;
    actors::AttemptResult result;
    result.item = order.items[at];
    result.ok = outcome.response.has_value();
    result.text = result.ok ? std::move(outcome.response->text) : to_json_text(outcome.response.error());
    result.took_us = outcome.took.count();
    result.checkpoint = std::move(outcome.checkpoint);
    result.usage = std::move(outcome.usage);
    order.reported[at] = true;
    order.bytes += result.text.size() + result.checkpoint.size();
    order.report.results.push_back(std::move(result));
    if (--order.left == 0) {
      send(order);
      orders_.erase(found);
    } else if (order.bytes > kOutboxBytesMax) {
      send(order);
    } else {
      begins_to_wait = !std::exchange(waiting_, true);
    }
  }
  if (begins_to_wait) late_();
}

/// Few orders are open at a time, and notes are seldom: see NoteKeeper.
void Outbox::note(actors::AttemptNote note) {
  const std::lock_guard lock{mutex_};
  if (shut_) return;
  for (const auto& [first, order] : orders_) {
    if (order.report.grant != note.grant || order.chain != note.chain) continue;
    caf::anon_send(order.reporter, actors::AttemptNotes{{std::move(note)}});
    return;
  }
}

void Outbox::flush() {
  const std::lock_guard lock{mutex_};
  waiting_ = false;
  for (auto& [first, order] : orders_) {
    if (!order.report.results.empty()) send(order);
  }
}

void Outbox::shut() {
  flush();
  const std::lock_guard lock{mutex_};
  shut_ = true;
}

std::vector<std::uint64_t> Outbox::jobs_of(const std::string& chain, GrantId grant) const {
  const std::lock_guard lock{mutex_};
  std::vector<std::uint64_t> jobs;
  for (const auto& [first, order] : orders_) {
    if (order.report.grant == grant && order.chain == chain) add_open(first, order, jobs);
  }
  return jobs;
}

std::vector<std::uint64_t> Outbox::jobs() const {
  const std::lock_guard lock{mutex_};
  std::vector<std::uint64_t> jobs;
  for (const auto& [first, order] : orders_) add_open(first, order, jobs);
  return jobs;
}

void Outbox::add_open(std::uint64_t first, const Order& order, std::vector<std::uint64_t>& jobs) {
  for (std::size_t at = 0; at < order.reported.size(); ++at) {
    if (!order.reported[at]) jobs.push_back(first + at);
  }
}

void Outbox::send(Order& order) {
  actors::WorkReport report;
  report.chain = order.chain;
  report.grant = order.report.grant;
  report.incarnation = order.report.incarnation;
  report.taking = order.report.taking;
  std::swap(report.results, order.report.results);
  order.bytes = 0;
  caf::anon_send(order.reporter, std::move(report));
}

}  // namespace catena::worker
