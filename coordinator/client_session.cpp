#include "coordinator/client_session.hpp"

#include <fmt/format.h>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "actors/directions.hpp"
#include "coordinator/audit.hpp"
#include "coordinator/client_calls.hpp"
#include "coordinator/inspect/inspector.hpp"
#include "lang/document/json_text.hpp"
#include "lang/run/schema_check.hpp"
#include "lang/run/scope.hpp"

namespace catena::coordinator {
namespace {

constexpr std::chrono::seconds kAnswerMax{60};
/// Questions to others of this process, each with an actor of its own until it is answered.
constexpr std::size_t kAskedAtATime = 32;
/// Of a call that has not been served, beside its bytes.
constexpr std::size_t kCallCost = 64;

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
      [=](const actors::Explained& explained) { answer(WordsTold{explained.words}); },
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

storage::Asker asker_of(const ClientContext& context) {
  const auto& user = context.settings->local_user;
  if (!user.empty()) return {storage::AskedVia::local, user, {}};
  const auto& peer = context.greeted.peer;
  return {storage::AskedVia::cluster, peer.subject, peer.address};
}

}  // namespace

class ClientShell {
 public:
  ClientShell(caf::event_based_actor* self, ClientContext context)
      : self_{self}, context_{std::move(context)}, by_{asker_of(context_)}, channel_{std::move(context_.greeted.channel)} {}

  void begin();
  void take_frames(actors::LineFrames& came);
  void take_over(const actors::LineOver& over);
  void take_answer(actors::CallAnswered answered);
  void take_ended(const actors::ChainEnded& ended) { settle_awaits(ended.chain, Ended{ended}); }
  void take_refused(const actors::Refused& refused) { settle_awaits(refused.chain, Failed{refused.error}); }
  void take_progress(const actors::Progress& progress);
  void leave();

 private:
  // what comes over the line; false: no client says this
  bool hear(const codec::Unknown&) { return true; }  // of a later version
  bool hear(actors::ClientCall& call);
  template <class Said>
  requires actors::SaidByWorker<Said> || actors::SaidToWorker<Said> || actors::SaidToClient<Said>
  bool hear(const Said&) { return false; }
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
  void serve(const ResumeCall& resume) { ask(services().supervisor, actors::ResumeChain{.chain = resume.chain, .reason = resume.reason}); }
  void serve(const RemoveCall& remove) {
    ask(services().supervisor, actors::RemoveChains{.chains = remove.chains, .ended_before = remove.ended_before, .reason = remove.reason});
  }
  void serve(const ControlCall& call);
  void serve(const AwaitCall& await);
  void serve(const ProgressCall& progress);
  void serve(const ExplainCall& explain) { ask(services().supervisor, actors::AskExplain{explain.chain}); }
  void serve(const NodesCall&) { ask(services().dispatcher, actors::AskNodes{}); }
  void serve(const NodeControlCall& call) {
    ask(services().dispatcher, actors::NodeControl{.worker = call.worker, .what = call.verb, .reason = call.reason});
  }
  void serve(FileStoreCall& file);
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
    if (!left_) channel_->say(actors::ClientAnswer{call, std::move(answer)});
  }
  void read(std::function<std::string()> answer);
  void settle_awaits(const ChainId& chain, const ClientTold& what);
  void serve_next();
  void pump();
  [[nodiscard]] const Services& services() const { return *context_.services; }

  caf::event_based_actor* self_;
  ClientContext context_;
  storage::Asker by_;
  std::shared_ptr<actors::Channel> channel_;
  bool left_ = false;
  std::deque<actors::ClientCall> unserved_;
  std::size_t unserved_bytes_ = 0;
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

// ---- the link ---------------------------------------------------------------------------------------------------------

void ClientShell::begin() {
  const auto& greeting = context_.greeted.greeting;
  channel_->set_message_bytes(context_.limits.message_bytes);
  channel_->deliver_to(caf::actor{self_});
  actors::Welcome welcome;
  welcome.version = std::min(actors::kProtocolMost, greeting.version_most);
  welcome.epoch = services().kv->epoch();
  welcome.store = context_.settings->store;
  welcome.software = context_.settings->software;
  welcome.lease_ms = context_.settings->lease_ms;
  welcome.heartbeat_ms = context_.settings->heartbeat_ms;
  channel_->say(std::move(welcome));
  pump();
}

void ClientShell::take_frames(actors::LineFrames& came) {
  if (left_ || !channel_->uses(came.line)) return;
  auto messages = channel_->decode(std::move(came.frames));
  if (!messages) return leave();
  for (auto& message : *messages) {
    if (!std::visit([this](auto& said) { return hear(said); }, message)) return leave();
  }
  pump();
}

bool ClientShell::hear(actors::ClientCall& call) {
  unserved_bytes_ += kCallCost + call.body.size();
  unserved_.push_back(std::move(call));
  return true;
}

void ClientShell::serve_next() {
  const auto call = std::move(unserved_.front());
  unserved_.pop_front();
  unserved_bytes_ -= kCallCost + call.body.size();
  call_ = call.id;
  auto asked = read_call(call.body);
  if (!asked) {
    answer(Failed{asked.error()});
  } else if (waiting_ >= context_.limits.calls) {
    answer(Failed{make_error(Code::expression_limit, fmt::format("more than {} calls wait for their answers", context_.limits.calls))});
  } else {
    std::visit([this](auto& what) { serve(what); }, *asked);
  }
}

void ClientShell::take_over(const actors::LineOver& over) {
  if (!left_ && channel_->uses(over.line)) leave();
}

/// A call of forty bytes may have an answer of a quarter MiB: while answers wait for the window, or many questions for theirs, the next
/// calls wait.
void ClientShell::pump() {
  if (left_) return;
  channel_->flush();
  while (!left_ && !unserved_.empty() && asked_ < kAskedAtATime && channel_->link().waiting() == 0) {
    serve_next();
    if (!left_) channel_->flush();
  }
  // it asks and does not read
  if (!left_ &&
      (channel_->link().waiting() > context_.limits.answers_bytes || unserved_bytes_ > context_.limits.answers_bytes + context_.limits.message_bytes))
    leave();
}

void ClientShell::leave() {
  if (std::exchange(left_, true)) return;
  for (const auto& [chain, calls] : awaits_) {
    if (services().supervisor) self_->send(services().supervisor, actors::StopAwaiting{chain});
  }
  if (reader_) self_->send_exit(reader_, caf::exit_reason::user_shutdown);
  channel_.reset();
  self_->quit();
}

void ClientShell::take_answer(actors::CallAnswered answered) {
  --waiting_;
  --asked_;
  send(answered.call, std::move(answered.answer));
  pump();
}

// ---- chains -----------------------------------------------------------------------------------------------------------

void ClientShell::serve(ProgramCall& program) {
  if (program_bytes_ + program.content.size() > context_.limits.program_bytes) {
    const auto message = fmt::format("the programs of a submission come to more than {} bytes", context_.limits.program_bytes);
    return answer(Failed{make_error(Code::file_too_large, message)});
  }
  const auto bytes = program.content.size();
  if (programs_.try_emplace(std::move(program.hash), std::move(program.content)).second) program_bytes_ += bytes;
  answer(Done{});
}

/// All that is checked of a submission here at the coordinator: its client may be of another version, or a liar.
Result<actors::Submission> ClientShell::submission_of(SubmitCall& submit) {
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
  auto programs = brought(submit.programs);
  if (!programs) return fail(std::move(programs).error());
  submission.programs = std::move(*programs);
  submission.package = std::make_shared<const lang::Package>(std::move(*package));
  return submission;
}

Result<std::map<std::string, std::string>> ClientShell::brought(const std::vector<std::string>& hashes) const {
  std::map<std::string, std::string> programs;
  for (const auto& hash : hashes) {
    const auto one = programs_.find(hash);
    if (one == programs_.end()) return fail(Code::argument_type, fmt::format("program {} was not brought", hash));
    programs.emplace(hash, one->second);
  }
  return programs;
}

Result<actors::Control> ClientShell::retry_of(const ControlCall& call) const {
  auto package = lang::from_manifest(call.manifest, services().catalog);
  if (!package) return fail(std::move(package).error());
  auto programs = brought(call.programs);
  if (!programs) return fail(std::move(programs).error());
  return actors::Control{call.chain, engine::Retry{}, std::make_shared<const lang::Package>(std::move(*package)), std::move(*programs), call.wish,
                         {},         call.reason};
}

void ClientShell::serve(const ControlCall& call) {
  if (call.verb != ControlVerb::retry || call.manifest.empty()) return ask(services().supervisor, control_of(call));
  const auto retry = retry_of(call);
  programs_.clear();
  program_bytes_ = 0;
  if (!retry) return answer(Failed{retry.error()});
  ask(services().supervisor, *retry);
}

void ClientShell::serve_submission(SubmitCall& submit, std::string key, bool id_made) {
  auto submission = submission_of(submit);
  programs_.clear();
  program_bytes_ = 0;
  if (!submission) return answer(Failed{submission.error()});
  submission->key = std::move(key);
  submission->id_made = id_made;
  ask(services().supervisor, *submission);
}

void ClientShell::serve(const AwaitCall& await) {
  if (!services().supervisor) return answer(Failed{make_error(Code::internal, "the coordinator is just ending")});
  auto& calls = awaits_[await.chain];
  calls.push_back(call_);
  ++waiting_;
  if (calls.size() == 1) self_->send(services().supervisor, actors::AwaitChain{await.chain});
}

void ClientShell::settle_awaits(const ChainId& chain, const ClientTold& what) {
  const auto calls = awaits_.extract(chain);
  if (calls.empty()) return;
  waiting_ -= calls.mapped().size();
  const auto answer = encode_answer(what);
  for (const auto call : calls.mapped()) send(call, answer);
  if (const auto asked = progress_.extract(chain); !asked.empty()) {
    --waiting_;
    send(asked.mapped(), encode_answer(ProgressTold{}));
  }
  pump();
}

/// Nobody answers for a chain that does not run: the next question, or its end, takes the place of the answer.
void ClientShell::serve(const ProgressCall& progress) {
  const auto [asked, first] = progress_.try_emplace(progress.chain, call_);
  if (first) {
    ++waiting_;
  } else {
    send(std::exchange(asked->second, call_), encode_answer(ProgressTold{}));
  }
  if (services().supervisor) self_->send(services().supervisor, actors::AskProgress{progress.chain});
}

void ClientShell::take_progress(const actors::Progress& progress) {
  const auto asked = progress_.extract(progress.chain);
  if (asked.empty()) return;
  --waiting_;
  send(asked.mapped(), encode_answer(ProgressTold{progress}));
  pump();
}

// ---- what is read -----------------------------------------------------------------------------------------------------

/// Off this actor: reading may take long, and its link goes on meanwhile.
void ClientShell::read(std::function<std::string()> answer) {
  if (!reader_) {
    const caf::actor me{self_};
    reader_ = context_.settings->detach_files ? self_->spawn<caf::detached>(reader, me) : self_->spawn(reader, me);
  }
  ++waiting_;
  ++asked_;
  self_->send(reader_, actors::AnswerCall{call_, std::move(answer)});
}

template <Asks Q>
void ClientShell::serve(Q& question) {
  if (!inspector_) inspector_ = std::make_shared<Inspector>(*services().kv, services().catalog, *services().clock);
  read([inspector = inspector_, question = std::move(question)] {
    auto answered = inspector->answer(question);
    return encode_answer(answered ? ClientTold{std::move(*answered)} : ClientTold{Failed{answered.error()}});
  });
}

void ClientShell::serve(FileStoreCall& file) {
  const auto& settings = *context_.settings;
  if (!settings.files) return answer(Failed{make_error(Code::feature_unavailable, "this coordinator has no file store")});
  read([files = settings.files, ask = std::move(file.ask)]() mutable { return encode_answer(FileTold{files(std::move(ask))}); });
}

// ---- the behavior -----------------------------------------------------------------------------------------------------

caf::behavior client_session(caf::stateful_actor<ClientSessionState>* self, ClientContext context) {
  self->state.shell = std::make_shared<ClientShell>(self, std::move(context));
  auto* shell = self->state.shell.get();
  self->set_exit_handler([=](const caf::exit_msg&) { shell->leave(); });
  shell->begin();
  return {
      [=](actors::LineFrames& came) { shell->take_frames(came); },
      [=](const actors::LineOver& over) { shell->take_over(over); },
      [=](actors::CallAnswered& answered) { shell->take_answer(std::move(answered)); },
      [=](const actors::ChainEnded& ended) { shell->take_ended(ended); },
      [=](const actors::Refused& refused) { shell->take_refused(refused); },
      [=](const actors::Progress& progress) { shell->take_progress(progress); },
  };
}

}  // namespace catena::coordinator
