#include "coordinator/call_server.hpp"

#include <fmt/format.h>
#include <caf/after.hpp>
#include <caf/event_based_actor.hpp>

#include <chrono>
#include <concepts>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "coordinator/audit.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "lang/document/json_text.hpp"
#include "lang/package/package.hpp"
#include "lang/run/schema_check.hpp"

namespace catena::coordinator {
namespace {

constexpr std::chrono::seconds kAnswerMax{60};

/// Asks one question for a call, so that answers to calls about the same chain cannot be taken for each other.
template <class Question>
caf::behavior asker(caf::event_based_actor* self, std::uint64_t call, const caf::actor& session, const caf::actor& whom, const Question& question) {
  const auto answer = [=](const ClientTold& what) {
    self->demonitor(session);
    self->clock().cancel_timeouts(self);  // it would keep what is left of this actor until it is due, and clients ask often
    self->send(session, actors::CallAnswered{call, encode_answer(what)});
    self->quit();
  };
  std::string key;
  if constexpr (std::same_as<Question, actors::Submission>) key = question.key;
  self->monitor(session);
  self->set_down_handler([=](const caf::down_msg&) {
    self->clock().cancel_timeouts(self);
    self->quit();
  });
  self->send(whom, question);
  return {
      [=](const actors::Accepted& accepted) {
        if constexpr (std::same_as<Question, actors::Submission>) {
          if (!key.empty()) return answer(SubmissionTold{accepted.ran.empty() ? accepted.chain : accepted.ran, !accepted.ran.empty()});
        }
        answer(Done{});
      },
      [=](const actors::Refused& refused) { answer(Failed{refused.error}); },
      [=](const actors::ChainEnded&) { answer(Done{}); },
      [=](const actors::Nodes& nodes) { answer(NodesTold{nodes.nodes}); },
      [=](const actors::NodeControlled& done) { answer(done.error ? ClientTold{Failed{*done.error}} : ClientTold{Done{}}); },
      [=](const actors::TokenMade& made) {
        answer(made.error ? ClientTold{Failed{*made.error}}
                          : ClientTold{TokenTold{made.text, made.token.id, made.token.expires_at, made.token.namespace_}});
      },
      [=](const actors::TokenRevoked& done) { answer(done.error ? ClientTold{Failed{*done.error}} : ClientTold{Done{}}); },
      [=](const actors::DeliveryReplayed& done) { answer(done.error ? ClientTold{Failed{*done.error}} : ClientTold{Done{}}); },
      [=](const actors::ScheduleDone& done) {
        answer(done.error ? ClientTold{Failed{*done.error}} : ClientTold{ScheduleDoneTold{done.version, done.chain, done.runs}});
      },
      [=](const actors::Explained& explained) {
        WordsTold told{{}, explained.reasons};
        for (const auto& reason : explained.reasons) told.words.push_back(engine::line(reason, explained.chain));
        answer(told);
      },
      [=](const actors::Queue& queue) { answer(QueueTold{queue.groups}); },
      [=](const actors::ChainsRemoved& done) {
        RemovalTold told{done.removed, {}};
        for (const auto& refused : done.refused) told.refused.push_back({refused.chain, refused.error});
        answer(told);
      },
      caf::after(kAnswerMax) >> [=] { answer(Failed{make_error(Code::internal, "the coordinator gave no answer within a minute")}); },
  };
}

/// Answers calls one after the other.
caf::behavior reader(caf::event_based_actor* self, const caf::actor& session) {
  return {[=](const actors::AnswerCall& asked) { self->send(session, actors::CallAnswered{asked.call, asked.answer()}); }};
}

}  // namespace

class CallServer::Impl {
 public:
  Impl(caf::event_based_actor* self, CallServerOptions options, Tell tell)
      : self_{self}, options_{std::move(options)}, by_{options_.by}, tell_{std::move(tell)} {}

  void serve_call(std::uint64_t call, Result<ClientAsk> asked);
  void take_answer(actors::CallAnswered answered);
  void take_progress(const actors::Progress& progress);
  void settle_awaits(const ChainId& chain, const ClientTold& what);
  [[nodiscard]] std::size_t asked() const { return asked_; }
  void leave();

 private:
  // one a call
  void serve(const codec::Unknown&) {}  // read_call has refused it
  void serve(ProgramCall& program);
  void serve(SubmitCall& submit) { serve_submission(submit, {}, false); }
  void serve(SubmitOnceCall& once) { serve_submission(once.submit, std::move(once.submission_key), once.id_made); }
  void serve(const CreateTokenCall& call) {
    ask(services().tokens, actors::CreateToken{call.name, call.role, Millis{call.lasts_ms}, call.rate, call.namespace_});
  }
  void serve(const RevokeTokenCall& call) { ask(services().tokens, actors::RevokeToken{call.id}); }
  void serve(const ReplayDeliveryCall& call) { ask(services().webhooks, actors::ReplayDelivery{.id = call.id}); }
  void serve(PutScheduleCall& put);
  void serve(const OrderScheduleCall& order);
  void serve(ForkCall& fork);
  void serve(const ResumeCall& resume) { ask(services().supervisor, actors::ResumeChain{.chain = resume.chain, .reason = resume.reason}); }
  void serve(const RemoveCall& remove) {
    ask(services().supervisor, actors::RemoveChains{.chains = remove.chains, .ended_before = remove.ended_before, .reason = remove.reason});
  }
  void serve(const ControlCall& call);
  void serve(const AwaitCall& await);
  void serve(const ProgressCall& progress);
  void serve(const ExplainCall& explain) { ask(services().supervisor, actors::AskExplain{explain.chain, explain.step}); }
  void serve(const QueueCall&) { ask(services().supervisor, actors::AskQueue{}); }
  void serve(const NodesCall&) { ask(services().dispatcher, actors::AskNodes{}); }
  void serve(const NodeControlCall& call) {
    ask(services().dispatcher, actors::NodeControl{.worker = call.worker, .what = call.verb, .reason = call.reason});
  }
  void serve(FileStoreCall& file);
  void serve(PutDefinitionCall& put);
  void serve(RemoveDefinitionCall& remove);
  void serve(const PingCall&) { answer(Done{}); }
  template <Asks Q>
  void serve(Q& question);

  void serve_submission(SubmitCall& submit, std::string key, bool id_made);
  [[nodiscard]] Result<actors::Submission> submission_of(SubmitCall& submit);
  [[nodiscard]] Result<actors::Control> retry_of(const ControlCall& call) const;
  /// Contents that ProgramCall brought before.
  [[nodiscard]] Result<std::map<std::string, std::string>> brought(const std::vector<std::string>& hashes) const;
  template <class Question>
  void ask(const caf::actor& whom, const Question& question) {
    if (!whom) return answer(Failed{make_error(Code::internal, "the coordinator is just ending")});
    note_audit(services(), by_, question);
    ++waiting_;
    ++asked_;
    self_->spawn(asker<Question>, call_, caf::actor{self_}, whom, question);
  }
  /// Of the call at hand.
  void answer(const ClientTold& what) { send(call_, encode_answer(what)); }
  void send(std::uint64_t call, std::string answer) {
    if (!left_) tell_(call, std::move(answer));
  }
  void read(std::function<std::string()> answer);
  [[nodiscard]] const Services& services() const { return *options_.services; }

  caf::event_based_actor* self_;
  CallServerOptions options_;
  storage::Asker by_;
  Tell tell_;
  bool left_ = false;
  std::uint64_t call_ = 0;   // the number of the call at hand
  std::size_t waiting_ = 0;  // calls whose answers are to come, those that await a chain included
  std::size_t asked_ = 0;    // and of these, how many somebody else was asked for
  std::map<ChainId, std::vector<std::uint64_t>> awaits_;
  std::map<ChainId, std::uint64_t> progress_;    // the last question for each
  std::map<std::string, std::string> programs_;  // contents by hash
  std::size_t program_bytes_ = 0;
  caf::actor reader_;                     // answers questions and calls on files, one after the other
  std::shared_ptr<Inspector> inspector_;  // of the reader alone
};

void CallServer::Impl::serve_call(std::uint64_t call, Result<ClientAsk> asked) {
  call_ = call;
  if (!asked) {
    answer(Failed{asked.error()});
  } else if (waiting_ >= options_.calls) {
    answer(Failed{make_error(Code::expression_limit, fmt::format("more than {} calls wait for their answers", options_.calls))});
  } else {
    std::visit([this](auto& what) { serve(what); }, *asked);
  }
}

void CallServer::Impl::take_answer(actors::CallAnswered answered) {
  --waiting_;
  --asked_;
  send(answered.call, std::move(answered.answer));
}

void CallServer::Impl::leave() {
  if (std::exchange(left_, true)) return;
  for (const auto& [chain, calls] : awaits_) {
    if (services().supervisor) self_->send(services().supervisor, actors::StopAwaiting{chain});
  }
  if (reader_) self_->send_exit(reader_, caf::exit_reason::user_shutdown);
}

// ---- chains -----------------------------------------------------------------------------------------------------------

void CallServer::Impl::serve(ProgramCall& program) {
  if (program_bytes_ + program.content.size() > options_.program_bytes) {
    const auto message = fmt::format("the programs of a submission come to more than {} bytes", options_.program_bytes);
    return answer(Failed{make_error(Code::file_too_large, message)});
  }
  const auto bytes = program.content.size();
  if (programs_.try_emplace(std::move(program.hash), std::move(program.content)).second) program_bytes_ += bytes;
  answer(Done{});
}

/// All that is checked of a submission here at the coordinator: its client may be of another version, or a liar.
Result<actors::Submission> CallServer::Impl::submission_of(SubmitCall& submit) {
  auto package = lang::from_manifest(submit.manifest, services().catalog);
  if (!package) return fail(std::move(package).error());
  if (!package->programs.contains(package->root)) return fail(Code::argument_type, "the package has no definition to run");
  auto arguments = lang::parse_json_text(submit.arguments);
  if (!arguments) return fail(std::move(arguments).error());
  const auto& program = package->main();
  auto checked = lang::check_arguments(std::move(*arguments), program.arguments, fmt::format("definition '{}'", program.name));
  if (!checked) return fail(std::move(checked).error());
  actors::Submission submission;
  submission.chain = submit.chain;
  submission.definition = package->root;
  submission.arguments = engine::inline_payload(std::move(checked->text));
  submission.context = engine::inline_payload(submit.context);
  submission.durability = submit.durability;
  submission.priority = submit.priority;
  submission.directory = submit.directory;
  submission.labels = std::move(submit.labels);
  submission.notify = std::move(submit.notify);
  submission.trace = {std::move(submit.traceparent), std::move(submit.tracestate), false};
  if (!submit.deadline.empty()) {
    const auto deadline = read_deadline(submit.deadline);
    if (!deadline) return fail(deadline.error());
    submission.deadline = *deadline;
  }
  auto programs = brought(submit.programs);
  if (!programs) return fail(std::move(programs).error());
  submission.programs = std::move(*programs);
  submission.package = std::make_shared<const lang::Package>(std::move(*package));
  return submission;
}

Result<std::map<std::string, std::string>> CallServer::Impl::brought(const std::vector<std::string>& hashes) const {
  std::map<std::string, std::string> programs;
  for (const auto& hash : hashes) {
    const auto one = programs_.find(hash);
    if (one == programs_.end()) return fail(Code::argument_type, fmt::format("program {} was not brought", hash));
    programs.emplace(hash, one->second);
  }
  return programs;
}

Result<actors::Control> CallServer::Impl::retry_of(const ControlCall& call) const {
  auto package = lang::from_manifest(call.manifest, services().catalog);
  if (!package) return fail(std::move(package).error());
  auto programs = brought(call.programs);
  if (!programs) return fail(std::move(programs).error());
  return actors::Control{call.chain, engine::Retry{}, std::make_shared<const lang::Package>(std::move(*package)), std::move(*programs), call.wish,
                         {},         call.reason};
}

void CallServer::Impl::serve(const ControlCall& call) {
  if (call.verb != ControlVerb::retry || call.manifest.empty()) {
    auto control = control_of(call);
    sign(control, by_);
    return ask(services().supervisor, control);
  }
  auto retry = retry_of(call);
  programs_.clear();
  program_bytes_ = 0;
  if (!retry) return answer(Failed{retry.error()});
  sign(*retry, by_);
  ask(services().supervisor, *retry);
}

void CallServer::Impl::serve_submission(SubmitCall& submit, std::string key, bool id_made) {
  auto submission = submission_of(submit);
  programs_.clear();
  program_bytes_ = 0;
  if (!submission) return answer(Failed{submission.error()});
  submission->key = std::move(key);
  submission->id_made = id_made;
  ask(services().supervisor, *submission);
}

void CallServer::Impl::serve(ForkCall& call) {
  actors::ForkChain fork{.chain = std::move(call.chain), .source = std::move(call.source), .wish = std::move(call.wish)};
  auto trace = read_trace_context(call.traceparent, call.tracestate);
  if (!trace) return answer(Failed{trace.error()});
  fork.trace = std::move(*trace);
  fork.reason = std::move(call.reason);
  sign(fork, by_);
  ask(services().supervisor, fork);
}

void CallServer::Impl::serve(PutScheduleCall& put) {
  auto work = submission_of(put.submit);
  programs_.clear();
  program_bytes_ = 0;
  if (!work) return answer(Failed{work.error()});
  ask(services().schedules, actors::PutSchedule{put.name, put.plan, std::make_shared<const actors::Submission>(std::move(*work)), put.definition,
                                                put.follow, put.expected, put.namespace_, by_.name, put.only_check});
}

void CallServer::Impl::serve(const OrderScheduleCall& order) {
  ask(services().schedules,
      actors::OrderSchedule{order.name, order.verb, order.from, order.until, order.expected, order.reason, order.namespace_, by_.name});
}

void CallServer::Impl::serve(const AwaitCall& await) {
  if (!services().supervisor) return answer(Failed{make_error(Code::internal, "the coordinator is just ending")});
  auto& calls = awaits_[await.chain];
  calls.push_back(call_);
  ++waiting_;
  if (calls.size() == 1) self_->send(services().supervisor, actors::AwaitChain{await.chain});
}

void CallServer::Impl::settle_awaits(const ChainId& chain, const ClientTold& what) {
  const auto calls = awaits_.extract(chain);
  if (calls.empty()) return;
  waiting_ -= calls.mapped().size();
  const auto answer = encode_answer(what);
  for (const auto call : calls.mapped()) send(call, answer);
  if (const auto asked = progress_.extract(chain); !asked.empty()) {
    --waiting_;
    send(asked.mapped(), encode_answer(ProgressTold{}));
  }
}

/// Nobody answers for a chain that does not run: the next question, or its end, takes the place of the answer.
void CallServer::Impl::serve(const ProgressCall& progress) {
  const auto [asked, first] = progress_.try_emplace(progress.chain, call_);
  if (first) {
    ++waiting_;
  } else {
    send(std::exchange(asked->second, call_), encode_answer(ProgressTold{}));
  }
  if (services().supervisor) self_->send(services().supervisor, actors::AskProgress{progress.chain});
}

void CallServer::Impl::take_progress(const actors::Progress& progress) {
  const auto asked = progress_.extract(progress.chain);
  if (asked.empty()) return;
  --waiting_;
  send(asked.mapped(), encode_answer(ProgressTold{progress}));
}

// ---- what is read -----------------------------------------------------------------------------------------------------

/// Off this actor: reading may take long, and its link goes on meanwhile.
void CallServer::Impl::read(std::function<std::string()> answer) {
  if (!reader_) {
    const caf::actor me{self_};
    reader_ = options_.detach ? self_->spawn<caf::detached>(reader, me) : self_->spawn(reader, me);
  }
  ++waiting_;
  ++asked_;
  self_->send(reader_, actors::AnswerCall{call_, std::move(answer)});
}

template <Asks Q>
void CallServer::Impl::serve(Q& question) {
  if (!inspector_) inspector_ = std::make_shared<Inspector>(*services().kv, services().catalog, *services().clock);
  read([inspector = inspector_, question = std::move(question)] {
    auto answered = inspector->answer(question);
    return encode_answer(answered ? ClientTold{std::move(*answered)} : ClientTold{Failed{answered.error()}});
  });
}

void CallServer::Impl::serve(FileStoreCall& file) {
  if (!options_.files) return answer(Failed{make_error(Code::feature_unavailable, "this coordinator has no file store")});
  note_audit(services(), by_, file);
  // Where callers are known, a request does not say whose the file is.
  if (by_.via == storage::AskedVia::http && !by_.id.empty() && file.ask.file) {
    file.ask.file->owner = by_.name;
    file.ask.file->put_by.clear();
  }
  read([files = options_.files, ask = std::move(file.ask)]() mutable { return encode_answer(FileTold{files(std::move(ask))}); });
}

void CallServer::Impl::serve(PutDefinitionCall& put) {
  if (!services().definitions || !services().store_files)
    return answer(Failed{make_error(Code::feature_unavailable, "this process keeps no definitions; ask the coordinator of the cluster")});
  note_audit(services(), by_, put);
  DefinitionWish wish{std::move(put.name), std::move(put.text), std::move(put.expected), by_.name, put.only_check};
  read([wish = std::move(wish), open = services().definitions, files = services().store_files] {
    const auto shelf = open();
    if (!shelf) return encode_answer(Failed{shelf.error()});
    auto done = put_definition(wish, *shelf, *files);
    return encode_answer(done ? ClientTold{DefinitionTold{std::move(*done)}} : ClientTold{Failed{done.error()}});
  });
}

void CallServer::Impl::serve(RemoveDefinitionCall& remove) {
  if (!services().store_files) return answer(Failed{make_error(Code::feature_unavailable, "this coordinator has no file store")});
  note_audit(services(), by_, remove);
  read([remove = std::move(remove), files = services().store_files] {
    const auto done = remove_definition(remove.name, remove.expected, *files);
    return encode_answer(done ? ClientTold{Done{}} : ClientTold{Failed{done.error()}});
  });
}

// ---- the interface ----------------------------------------------------------------------------------------------------

CallServer::CallServer(caf::event_based_actor* self, CallServerOptions options, Tell tell)
    : impl_{std::make_unique<Impl>(self, std::move(options), std::move(tell))} {}
CallServer::~CallServer() = default;

void CallServer::serve(std::uint64_t call, Result<ClientAsk> asked) { impl_->serve_call(call, std::move(asked)); }
void CallServer::take_answer(actors::CallAnswered answered) { impl_->take_answer(std::move(answered)); }
void CallServer::take_ended(const actors::ChainEnded& ended) { impl_->settle_awaits(ended.chain, Ended{ended}); }
void CallServer::take_refused(const actors::Refused& refused) { impl_->settle_awaits(refused.chain, Failed{refused.error}); }
void CallServer::take_progress(const actors::Progress& progress) { impl_->take_progress(progress); }
std::size_t CallServer::asked() const { return impl_->asked(); }
void CallServer::leave() { impl_->leave(); }

}  // namespace catena::coordinator
