// Submissions over a line to a coordinator: one that is waited for, and many at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <optional>
#include <utility>
#include <vector>

#include "client/cluster_client.hpp"
#include "client/cluster_parts.hpp"
#include "client/connection_advice.hpp"

namespace catena::client {
namespace {

constexpr std::size_t kSubmittedAtOnce = 256;
constexpr std::size_t kSubmittedBytesMax = 16UL << 20U;  // of those; one alone may have more
constexpr milliseconds kRefusedPause{500};

coordinator::SubmitCall plain_call(const actors::Submission& submission) {
  coordinator::SubmitCall submit;
  submit.chain = submission.chain;
  submit.manifest = submission.package->manifest;
  submit.arguments = submission.arguments.text;
  submit.context = submission.context.text;
  submit.directory = submission.directory;
  submit.durability = submission.durability;
  submit.priority = submission.priority;
  submit.labels = submission.labels;
  submit.notify = submission.notify;
  submit.traceparent = submission.trace.parent;
  submit.tracestate = submission.trace.state;
  submit.deadline = to_string(submission.deadline);
  for (const auto& [hash, content] : submission.programs) submit.programs.push_back(hash);
  return submit;
}

coordinator::ClientAsk submit_call(const actors::Submission& submission) {
  auto submit = plain_call(submission);
  if (submission.key.empty()) return submit;
  return coordinator::SubmitOnceCall{std::move(submit), submission.key, submission.id_made};
}

/// One of many, from when it is given to its answer.
struct SubmittedOne {
  std::size_t number = 0;
  actors::Submission submission;
  std::size_t bytes = 0;
  std::vector<std::uint64_t> programs = {};  // the calls that brought them
  std::uint64_t call = 0;
  std::uint64_t link = 0;  // on which it was sent; 0: on none yet
  bool repeated = false;
  int losses = 0;
  std::optional<SteadyClock::time_point> refused_at = {};  // first, by a coordinator that is short of memory
  std::optional<SteadyClock::time_point> again_at = {};    // while it waits to be sent again for that
};

std::size_t bytes_of(const actors::Submission& submission) {
  std::size_t bytes = submission.package->manifest.size() + submission.arguments.text.size() + submission.context.text.size();
  for (const auto& [hash, content] : submission.programs) bytes += content.size();
  return bytes;
}

/// The coordinator serves calls of one client side by side: which of two with the same id or key is the first would be chance.
bool meets(const std::list<SubmittedOne>& sent, const actors::Submission& submission) {
  return std::ranges::any_of(sent, [&](const SubmittedOne& one) {
    return one.submission.chain == submission.chain || (!submission.key.empty() && one.submission.key == submission.key);
  });
}

}  // namespace

/// What the answer to a submission means. `repeated`: it was sent before, and nobody knows whether that arrived.
Result<Submitted> ClusterClient::read_submitted(const actors::Submission& submission, std::string_view answer, bool repeated) {
  if (!submission.key.empty()) {
    // That it was submitted before is no news where this submission was sent before.
    return coordinator::read_answer_as<coordinator::SubmissionTold>(answer).map([&](coordinator::SubmissionTold told) {
      const bool again = told.again && !(repeated && told.chain == submission.chain);
      return Submitted{std::move(told.chain), again};
    });
  }
  auto read = done_of(answer);
  if (read) return Submitted{submission.chain};
  if (!repeated || read.error().code != Code::chain_exists) return fail(std::move(read).error());
  const auto there = questions_.ask(coordinator::DescribeChain{.chain = submission.chain});
  if (!there) return fail(there.error());
  const bool same = there->package == submission.package->hash && there->definition == submission.definition;
  if (same && (!there->arguments.is_whole() || there->arguments.text == submission.arguments.text)) return Submitted{submission.chain};
  return fail(std::move(read).error());
}

Result<Submitted> ClusterClient::submit(actors::Submission submission) {
  const auto call = submit_call(submission);
  bool repeated = false;
  int losses = 0;
  while (true) {
    if (auto brought = parts_->bring(submission.programs); !brought) return fail(std::move(brought).error());
    if (!parts_->linked()) {
      if (auto opened = parts_->open_again(); !opened) return fail(with_advice(std::move(opened).error(), address()));
      continue;
    }
    const auto number = parts_->send(call);
    if (!number) return fail(number.error());
    std::optional<std::string> answer;
    while (parts_->linked() && !answer) {
      if (parts_->stopped()) return fail(Code::cancelled, "interrupted: the chain may have been submitted; `catena show` tells");
      parts_->pump(kSlice);
      answer = parts_->answer_to(*number);
    }
    if (answer) return read_submitted(submission, *answer, repeated);
    if (auto again = parts_->count_loss(losses); !again) return fail(std::move(again).error());
    repeated = true;
    if (auto opened = parts_->open_again(); !opened) return fail(with_advice(std::move(opened).error(), address()));
  }
}

Result<actors::ScheduleDone> ClusterClient::schedule_done(const std::string& name, const coordinator::ClientAsk& ask) {
  const auto answered = parts_->call(ask, false);
  if (!answered) return fail(answered.error());
  return coordinator::read_answer_as<coordinator::ScheduleDoneTold>(answered->answer).map([&](coordinator::ScheduleDoneTold told) {
    return actors::ScheduleDone{name, std::move(told.version), std::move(told.chain), told.runs, std::nullopt};
  });
}

Result<actors::ScheduleDone> ClusterClient::put_schedule(const actors::PutSchedule& put) {
  if (auto brought = parts_->bring(put.work->programs); !brought) return fail(std::move(brought).error());
  return schedule_done(put.name, coordinator::PutScheduleCall{put.name, put.plan, plain_call(*put.work), put.definition, put.follow, put.expected,
                                                              put.namespace_, put.only_check});
}

Result<actors::ScheduleDone> ClusterClient::order_schedule(const actors::OrderSchedule& order) {
  return schedule_done(
      order.name, coordinator::OrderScheduleCall{order.name, order.verb, order.from, order.until, order.expected, order.reason, order.namespace_});
}

Result<void> ClusterClient::submit_each(const NextSubmission& next, const SettledSubmission& settled) {
  auto& parts = *parts_;
  std::list<SubmittedOne> sent;
  Given held;  // until what it meets is answered
  std::size_t given = 0;
  std::size_t bytes = 0;
  const auto send = [&](SubmittedOne& one) -> Result<void> {
    one.programs.clear();
    for (const auto& [hash, content] : one.submission.programs) {
      const auto brought = parts.send(coordinator::ProgramCall{hash, content});
      if (!brought) return fail(brought.error());
      one.programs.push_back(*brought);
    }
    const auto call = parts.send(submit_call(one.submission));
    if (!call) return fail(call.error());
    one.call = *call;
    one.link = parts.links;
    return {};
  };
  const auto settle = [&](std::list<SubmittedOne>::iterator one, Result<Submitted> came_to) {
    bytes -= one->bytes;
    const auto number = one->number;
    sent.erase(one);
    settled(number, std::move(came_to));
  };
  /// Many submissions are what makes memory short: those that have begun make room as they end.
  const auto put_off = [&](SubmittedOne& one, const Result<Submitted>& came_to) {
    const auto now = SteadyClock::now();
    if (came_to || came_to.error().code != Code::memory_short) return false;
    if (!one.refused_at) one.refused_at = now;
    if (now - *one.refused_at > milliseconds{parts.options.reconnect.count()}) return false;
    one.again_at = now + kRefusedPause;
    return true;
  };
  while (true) {
    if (parts.stopped()) return fail(Code::cancelled, "interrupted");
    if (!parts.linked()) {
      if (auto opened = parts.open_again(); !opened) return fail(with_advice(std::move(opened).error(), address()));
    }
    for (auto one = sent.begin(); one != sent.end() && parts.linked();) {
      const auto again = one++;
      if (again->again_at) {  // it was refused: it is not sent a second time
        if (SteadyClock::now() < *again->again_at) continue;
        again->again_at.reset();
      } else if (again->link == parts.links) {
        continue;
      } else {
        again->repeated = true;
        if (auto counted = parts.count_loss(again->losses); !counted) return counted;
      }
      if (auto gone = send(*again); !gone) settle(again, fail(std::move(gone).error()));
    }
    while (parts.linked() && sent.size() < kSubmittedAtOnce && bytes < kSubmittedBytesMax) {
      if (!held.submission && held.more) held = next();
      if (!held.submission || meets(sent, *held.submission)) break;
      const auto size = bytes_of(*held.submission);
      bytes += size;
      sent.push_back({given++, std::move(*held.submission), size});
      held.submission.reset();
      if (auto gone = send(sent.back()); !gone) settle(std::prev(sent.end()), fail(std::move(gone).error()));
    }
    if (sent.empty() && !held.submission && !held.more) return {};
    parts.pump(kSlice);
    for (auto one = sent.begin(); one != sent.end();) {
      const auto here = one++;
      if (here->again_at) continue;
      auto answer = parts.answer_to(here->call);
      if (!answer) continue;
      Result<void> brought;
      for (const auto program : here->programs) {
        if (const auto taken = parts.answer_to(program); taken && brought) brought = done_of(*taken);
      }
      auto came_to = brought ? read_submitted(here->submission, *answer, here->repeated) : Result<Submitted>{fail(brought.error())};
      if (!put_off(*here, came_to)) settle(here, std::move(came_to));
    }
  }
}

}  // namespace catena::client
