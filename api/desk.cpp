#include "api/desk.hpp"

#include <fmt/format.h>
#include <caf/after.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>

#include "api/batch.hpp"
#include "api/batch_asker.hpp"
#include "api/call_asker.hpp"
#include "api/desk_reader.hpp"
#include "api/diagnosis_asker.hpp"
#include "api/handlers/handlers.hpp"
#include "api/handlers/versions.hpp"
#include "api/preview.hpp"
#include "api/stream_desk.hpp"
#include "api/waiting_room.hpp"
#include "base/metric_text.hpp"
#include "base/overloads.hpp"
#include "client/reasons.hpp"
#include "client/records.hpp"
#include "coordinator/audit.hpp"
#include "coordinator/wrong_member.hpp"

namespace catena::api {
namespace {

constexpr std::chrono::seconds kErrandMax{60};
/// Whose times are over soon after each other are looked at together.
constexpr std::int64_t kTimesApartMs = 50;

struct LaneBounds {
  std::size_t waiting;  // works that have not been done
  std::string_view refusal;
};
constexpr std::array<LaneBounds, kLanes> kLaneBounds{LaneBounds{64, "as much waits to be written as the coordinator holds; try again"},
                                                     LaneBounds{1, "a backup is being made; ask again when it has ended"},
                                                     LaneBounds{4, "as many tests of definitions wait as the coordinator holds; try again"}};

Error just_ending() { return make_error(Code::overloaded, "the coordinator is just ending; ask again when it is back"); }

/// What a submission is answered with at once: the chain is durable, and its record would say no more.
Answer accepted_answer(const ChainId& chain) {
  auto answer = json_answer({{"chain_id", chain.value}, {"status", engine::name(engine::ChainStatus::running)}}, 202);
  answer.headers.emplace_back("Location", chain_path(chain));
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

/// The reply of a submission whose chain began: where nothing more can be said of it, that is.
Reply never_sent_again(Reply reply, const ChainId& chain) {
  constexpr int kUnavailable = 503;
  return [=](Answer answer) { reply(answer.status == kUnavailable ? accepted_answer(chain) : std::move(answer)); };
}

/// Of an errand that has only checked.
Answer preview_answer(const Errand& errand) {
  auto preview = *errand.preview;
  preview["validate_only"] = true;
  if (errand.submitted_before) preview.update({{"chain_id", errand.chain.value}, {"submitted_before", true}});
  return json_answer(preview);
}

Answer told_answer(const Json& json, const Errand& errand) {
  auto answer = json_answer(json);
  if (std::holds_alternative<actors::PutSchedule>(errand.what)) answer.headers.emplace_back("ETag", entity_tag(json.value("version", std::string{})));
  return answer;
}

Answer metrics_answer(const DeskOptions& options, std::string_view accept) {
  auto& metrics = *options.services->metrics;
  if (options.measure) options.measure(metrics);
  const auto form = metric_form_for(accept);
  return {200, metric_text(metrics.copy(), form, options.version), std::string{media_type(form)}};
}

/// What the coordinator says of a control, with a pointer to the member of the body that is wrong.
Problem refused_errand(const Errand& errand, const Error& error) {
  const bool names = std::holds_alternative<actors::Control>(errand.what) || std::holds_alternative<actors::ForkChain>(errand.what);
  if (!names) return error;
  const auto member = coordinator::member_of(error);
  Problem problem{error};
  constexpr int kUnprocessable = 422;  // the body names a step or items that the chain does not have
  if (error.code == Code::usage) problem.status = kUnprocessable;
  if (!member.empty()) problem.findings.push_back({error, "/" + member, true});
  return problem;
}

bool begins_chain(const Errand& errand) {
  return std::holds_alternative<actors::Submission>(errand.what) || std::holds_alternative<actors::ForkChain>(errand.what);
}

/// Asks for one errand, so that answers about the same chain cannot be taken for each other.
template <class Question>
caf::behavior errand_asker(caf::event_based_actor* self, const caf::actor& desk, const caf::actor& whom, ErrandDone done, Question question) {
  const auto tell = [=](std::variant<std::monostate, Error, Json> outcome) {
    self->demonitor(desk);
    self->clock().cancel_timeouts(self);  // it would keep what is left of this actor until it is due
    auto told = done;
    told.outcome = std::move(outcome);
    self->send(desk, std::move(told));
    self->quit();
  };
  self->monitor(desk);
  self->set_down_handler([=](const caf::down_msg&) {
    self->clock().cancel_timeouts(self);
    self->quit();
  });
  self->send(whom, std::move(question));
  return {
      [=](const actors::Accepted& accepted) {
        if (!accepted.ran.empty()) {
          done.errand->chain = accepted.ran;
          done.errand->submitted_before = true;
        }
        tell(std::monostate{});
      },
      [=](const actors::GaugesTaken&) { tell(std::monostate{}); },
      [=](const actors::Refused& refused) { tell(refused.error); },
      [=](const actors::ChainEnded&) { tell(std::monostate{}); },
      [=](const actors::Nodes& nodes) {
        Json json{{"nodes", Json::array()}};
        for (const auto& node : nodes.nodes) json["nodes"].push_back(client::to_json(node));
        tell(std::move(json));
      },
      [=](const actors::Explained& explained) { tell(client::reasons_json(explained.reasons, explained.chain, done.errand->status)); },
      [=](const actors::Queue& queue) { tell(client::to_json(queue.groups)); },
      [=](const actors::NodeControlled& controlled) {
        if (controlled.error) return tell(*controlled.error);
        tell(Json{{"status", "ok"}});
      },
      [=](const actors::DeliveryReplayed& replayed) {
        if (replayed.error) return tell(*replayed.error);
        tell(Json{{"status", "ok"}});
      },
      [=](const actors::ScheduleDone& scheduled) {
        if (scheduled.error) return tell(*scheduled.error);
        tell(client::to_json(scheduled));
      },
      [=](const actors::ChainsRemoved& gone) {
        if (!gone.refused.empty()) return tell(gone.refused.front().error);
        Json json{{"removed", Json::array()}};
        for (const auto& chain : gone.removed) json["removed"].push_back(chain.value);
        tell(std::move(json));
      },
      caf::after(kErrandMax) >> [=] { tell(make_error(Code::internal, "the coordinator gave no answer within a minute")); },
  };
}

}  // namespace

class DeskShell {
 public:
  DeskShell(caf::event_based_actor* self, DeskOptions options)
      : self_{self},
        options_{std::move(options)},
        room_{options_.limits.waiting, options_.limits.waiting_bytes},
        streams_{self, options_.services->journal, options_.limits.streams, [this]() -> const caf::actor& { return next_reader(); }} {
    for (std::size_t reader = 0; reader < options_.readers; ++reader) add_reader();
    if (options_.on_tokens) self_->send(options_.services->tokens, actors::WatchTokens{});
  }

  void take(const RequestCame& came) {
    const auto& asking = *came.asking;
    if (ending_) return answer(asking, just_ending());
    if (unread_ >= options_.limits.requests || unread_bytes_ + asking.bytes > options_.limits.request_bytes) {
      return answer(asking, make_error(Code::overloaded, "as many requests wait as the coordinator holds; try again"));
    }
    ++unread_;
    unread_bytes_ += asking.bytes;
    self_->send(next_reader(), came);
  }

  void take(const RequestRead& read) {
    --unread_;
    unread_bytes_ -= read.asking->bytes;
    if (!read.errand && !read.stream && !read.work) return;
    if (ending_) return answer(*read.asking, just_ending());
    if (read.work) return start_work(read);
    if (read.stream) return begin_stream(*read.asking, std::move(*read.stream));
    const auto& services = *options_.services;
    std::visit(Overloads{
                   [&](actors::AwaitChain&) { wait(read.asking->reply, read.asking->bytes, *read.errand); },
                   [&](actors::AskNodes& ask) { send_out(read, services.dispatcher, ask); },
                   [&](actors::NodeControl& control) { send_out(read, services.dispatcher, control); },
                   [&](actors::ReplayDelivery& replay) { send_out(read, services.webhooks, replay); },
                   [&](actors::PutSchedule& put) { send_out(read, services.schedules, put); },
                   [&](actors::OrderSchedule& order) { send_out(read, services.schedules, order); },
                   [&](std::shared_ptr<DiagnosisErrand>&) { look_around(read); },
                   [&](std::shared_ptr<Batch>& batch) {
                     submit({read.asking, batch});
                   },
                   [&](std::shared_ptr<CallOrder>& order) { serve_calls(read.asking, std::move(order)); },
                   [&](auto& for_chain) { send_out(read, services.supervisor, std::move(for_chain)); },
               },
               read.errand->what);
  }

  void take(const ErrandDone& done) {
    if (const auto* error = std::get_if<Error>(&done.outcome)) {
      return done.asking->reply(to_answer(refused_errand(*done.errand, *error), done.asking->reads));
    }
    if (done.errand->preview) return done.asking->reply(preview_answer(*done.errand));
    if (const auto* json = std::get_if<Json>(&done.outcome)) return done.asking->reply(told_answer(*json, *done.errand));
    const auto& errand = *done.errand;
    if (std::holds_alternative<actors::TakeGauges>(errand.what)) return tell_metrics(*done.asking);
    if (errand.wait.count() > 0) {
      const bool began = begins_chain(errand);
      return wait(began ? never_sent_again(done.asking->reply, errand.chain) : done.asking->reply, done.asking->bytes, errand);
    }
    if (begins_chain(errand) && !errand.submitted_before) return done.asking->reply(accepted_answer(errand.chain));
    tell(errand.chain, {done.asking->reply});
  }

  void tell_metrics(const Asking& asking) {
    auto& metrics = *options_.services->metrics;
    metrics.set(Metric::http_waiting, static_cast<std::int64_t>(room_.size()));
    metrics.set(Metric::http_streams, static_cast<std::int64_t>(streams_.size()));
    asking.reply(metrics_answer(options_, asking.asked.accept));
  }

  void take(const WorkDone& done) {
    auto& of = lane(done.lane);
    --of.waiting;
    of.bytes -= done.asking->bytes;
  }

  void take(const BatchDone& done) {
    --batches_;
    // The chains of its lines began: nobody is told to send it again.
    if (ending_) return done.asking->reply(batch_answer(*done.batch, [](const BatchLine&) { return std::string_view{}; }));
    self_->send(next_reader(), done);
  }

  void take(const CallsDone& done) {
    --calls_;
    call_bytes_ -= done.bytes;
  }

  void begin_stream(const Asking& asking, StreamSource source) {
    if (streams_.enter(asking, std::move(source))) return;
    answer(asking, make_error(Code::overloaded, "as many streams are read as the coordinator holds; try again when others have ended"));
  }
  StreamDesk& streams() { return streams_; }

  void take(const actors::TokensChanged& changed) { options_.on_tokens(changed.tokens); }

  void take_end(const ChainId& chain) { tell(chain, room_.leave(chain)); }

  void take_time(const WaitOver& over) {
    timers_.erase(over.timer_ms);
    for (auto& [chain, replies, last] : room_.expired(now_ms())) {
      if (last && options_.services->supervisor) self_->send(options_.services->supervisor, actors::StopAwaiting{chain});
      tell(chain, std::move(replies));
    }
    set_timer();
  }

  void end() {
    const auto answer = to_answer(just_ending(), true);
    for (const auto& reply : room_.leave_all()) reply(answer);
    streams_.end();
    ending_ = true;
    for (const auto& reader : readers_) self_->send_exit(reader, caf::exit_reason::user_shutdown);
    for (const auto& one : lanes_) {
      if (one.actor) self_->send_exit(one.actor, caf::exit_reason::user_shutdown);
    }
  }

  /// The store must not be closed under a reader: the desk ends when all have ended. One that fails, such as for want of memory, is replaced; what it
  /// was given gets no answer, and its connections are closed in time.
  void take_down(const caf::down_msg& down) {
    const auto readers = std::erase_if(readers_, [&](const caf::actor& reader) { return reader.address() == down.source; });
    for (auto& one : lanes_) {
      if (one.actor && one.actor.address() == down.source) one = {};  // what it had gets no answer, either
    }
    if (!ending_ && readers > 0) return add_reader();
    if (ending_ && readers_.empty() && std::ranges::none_of(lanes_, [](const LaneActor& one) { return one.actor != nullptr; })) self_->quit();
  }

 private:
  void add_reader() { readers_.push_back(self_->spawn<caf::monitored + caf::detached>(reader_of, caf::actor{self_}, options_)); }

  struct LaneActor {
    caf::actor actor = nullptr;  // null: there was nothing to do
    std::size_t waiting = 0;
    std::size_t bytes = 0;  // of the bodies
  };
  LaneActor& lane(Lane which) { return lanes_.at(static_cast<std::size_t>(which)); }

  void start_work(const RequestRead& read) {
    auto& to = lane(read.work->lane);
    const auto& bounds = kLaneBounds.at(static_cast<std::size_t>(read.work->lane));
    if (to.waiting == bounds.waiting || to.bytes + read.asking->bytes > options_.limits.work_bytes)
      return answer(*read.asking, make_error(Code::overloaded, std::string{bounds.refusal}));
    if (!to.actor) to.actor = self_->spawn<caf::monitored + caf::detached>(lane_of, caf::actor{self_});
    ++to.waiting;
    to.bytes += read.asking->bytes;
    const auto& services = *options_.services;
    if (services.settings.audit_keep != 0 && services.journal && !read.work->audit.act.empty())
      coordinator::hand_audit(services, read.asking->asked.by, read.work->audit);
    self_->send(to.actor, DoWork{read.asking, read.work});
  }

  static void answer(const Asking& asking, Error error) { asking.reply(to_answer(std::move(error), asking.reads)); }

  template <class Question>
  void send_out(const RequestRead& read, const caf::actor& whom, Question question) {
    if (!whom) return answer(*read.asking, just_ending());
    if constexpr (std::same_as<Question, actors::Control> || std::same_as<Question, actors::ForkChain>)
      coordinator::sign(question, read.asking->asked.by);
    coordinator::note_audit(*options_.services, read.asking->asked.by, question);
    self_->spawn(errand_asker<Question>, caf::actor{self_}, whom, ErrandDone{read.asking, read.errand, {}}, std::move(question));
  }

  void look_around(const RequestRead& read) {
    const auto& services = options_.services;
    if (!services->supervisor || !services->dispatcher) return answer(*read.asking, just_ending());
    self_->spawn(diagnosis_asker, caf::actor{self_}, services, std::make_shared<ErrandDone>(ErrandDone{read.asking, read.errand, {}}));
  }

  void submit(BatchDone batch) {
    const auto& supervisor = options_.services->supervisor;
    if (!supervisor) return answer(*batch.asking, just_ending());
    if (batches_ == options_.limits.batches)
      return answer(*batch.asking, make_error(Code::overloaded, "as many batches are on their way as the coordinator takes; try again"));
    ++batches_;
    self_->spawn(batch_asker, caf::actor{self_}, supervisor, std::move(batch));
  }

  void serve_calls(const AskingPtr& asking, std::shared_ptr<CallOrder> order) {
    if (calls_ == options_.limits.calls || call_bytes_ + asking->bytes > options_.limits.call_bytes)
      return answer(*asking, make_error(Code::overloaded, "as many commands ask as the coordinator takes; try again"));
    ++calls_;
    call_bytes_ += asking->bytes;
    CallAskerOptions calls;
    calls.services = options_.services;
    calls.asking = asking;
    calls.order = std::move(order);
    calls.software = options_.version;
    calls.room = answer_room_;
    self_->spawn(call_asker, caf::actor{self_}, std::move(calls));
  }

  void wait(Reply reply, std::size_t bytes, const Errand& errand) {
    const auto entered = room_.enter(errand.chain, reply, now_ms() + errand.wait.count(), bytes);
    if (entered == WaitingRoom::Entered::refused) return tell(errand.chain, {std::move(reply)});  // it may come again: no wait, no loss
    if (entered == WaitingRoom::Entered::first && options_.services->supervisor)
      self_->send(options_.services->supervisor, actors::AwaitChain{errand.chain});
    set_timer();
  }

  void tell(const ChainId& chain, std::vector<Reply> replies) {
    if (replies.empty() || ending_) return;
    self_->send(next_reader(), TellChain{chain, std::make_shared<std::vector<Reply>>(std::move(replies))});
  }

  const caf::actor& next_reader() { return readers_[next_reader_++ % readers_.size()]; }

  [[nodiscard]] std::int64_t now_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now().time_since_epoch()).count();
  }

  /// For whoever is due first. A timer cannot be taken back, so one that comes in time will do: each that is set is earlier than all that are out.
  void set_timer() {
    const auto due = room_.next_due_ms();
    if (!due || (!timers_.empty() && *timers_.begin() <= *due)) return;
    timers_.insert(*due);
    self_->delayed_send(self_, std::chrono::milliseconds{std::max(*due - now_ms() + 1, kTimesApartMs)}, WaitOver{*due});
  }

  caf::event_based_actor* self_;
  DeskOptions options_;
  WaitingRoom room_;
  StreamDesk streams_;
  bool ending_ = false;
  std::vector<caf::actor> readers_;
  std::size_t next_reader_ = 0;
  std::size_t unread_ = 0;
  std::size_t unread_bytes_ = 0;
  std::size_t batches_ = 0;
  std::size_t calls_ = 0;
  std::size_t call_bytes_ = 0;
  std::array<LaneActor, kLanes> lanes_ = {};
  std::shared_ptr<AnswerRoom> answer_room_ = std::make_shared<AnswerRoom>(options_.limits.answer_bytes);
  std::set<std::int64_t> timers_;  // that are out: when they come
};

caf::behavior desk(caf::stateful_actor<DeskState>* self, DeskOptions options) {
  self->state.shell = std::make_shared<DeskShell>(self, std::move(options));
  auto* shell = self->state.shell.get();
  self->set_exit_handler([=](const caf::exit_msg&) { shell->end(); });
  self->set_down_handler([=](const caf::down_msg& down) { shell->take_down(down); });
  return {
      [=](const RequestCame& came) { shell->take(came); },
      [=](const RequestRead& read) { shell->take(read); },
      [=](const ErrandDone& done) { shell->take(done); },
      [=](const BatchDone& done) { shell->take(done); },
      [=](const WorkDone& done) { shell->take(done); },
      [=](const actors::ChainEnded& ended) { shell->take_end(ended.chain); },
      // It cannot be waited for: what its record says is the answer.
      [=](const actors::Refused& refused) { shell->take_end(refused.chain); },
      [=](const CallsDone& done) { shell->take(done); },
      [=](const WaitOver& over) { shell->take_time(over); },
      [=](const StreamRead& read) { shell->streams().take_piece(read); },
      [=](const StreamWritten& written) { shell->streams().take_written(written); },
      [=](const StreamsDue& due) { shell->streams().take_time(due); },
      [=](const actors::FeedGrew&) { shell->streams().grow({}); },
      [=](const actors::ChainGrew& grew) { shell->streams().grow(grew.chain); },
      [=](const actors::TokensChanged& changed) { shell->take(changed); },
  };
}

}  // namespace catena::api
