#include "coordinator/client_session.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "actors/wire.hpp"
#include "coordinator/client_calls.hpp"
#include "coordinator/trusted.hpp"
#include "lang/json_text.hpp"
#include "lang/scope.hpp"

namespace catena::coordinator {
namespace {

constexpr std::chrono::seconds kAnswerMax{60};

actors::ClientAnswer numbered(std::uint64_t id, actors::ClientAnswer answer) {
  answer.id = id;
  return answer;
}

/// Asks one question for a call, so that answers to calls about the same chain cannot be taken for each other.
template <class Question>
caf::behavior asker(caf::event_based_actor* self, std::uint64_t call, const caf::actor& session, const caf::actor& whom,
                    const Question& question) {
  const auto answer = [=](actors::ClientAnswer what) {
    self->demonitor(session);
    self->send(session, actors::CallAnswered{numbered(call, std::move(what))});
    self->quit();
  };
  self->monitor(session);
  self->set_down_handler([=](const caf::down_msg&) { self->quit(); });
  self->send(whom, question);
  self->delayed_send(self, kAnswerMax, caf::timeout_atom_v);
  return {
      [=](const actors::Accepted&) { answer(answer_done()); },
      [=](const actors::Refused& refused) { answer(answer_error(refused.error)); },
      [=](const actors::ChainEnded&) { answer(answer_done()); },
      [=](const actors::Nodes& nodes) { answer(answer_nodes(nodes)); },
      [=](const actors::NodeOrdered& ordered) { answer(ordered.error ? answer_error(*ordered.error) : answer_done()); },
      [=](const actors::Explained& explained) { answer(answer_words(explained.words)); },
      [=](caf::timeout_atom) { answer(answer_error(make_error(Code::internal, "the coordinator gave no answer within a minute"))); },
  };
}

caf::behavior file_asker(caf::event_based_actor* self, const FileCaller& files, const caf::actor& session) {
  return {[=](const actors::FileAsked& asked) {
    auto answer = files(asked.call);
    self->send(session,
               actors::CallAnswered{numbered(asked.call.id, answer_file({answer.ok, std::move(answer.body), std::move(answer.content)}))});
  }};
}

}  // namespace

class ClientShell {
 public:
  ClientShell(caf::event_based_actor* self, ClientContext context)
      : self_{self},
        context_{std::move(context)},
        far_{context_.greeted.far},
        link_{context_.greeted.greeting.link, link_limits(context_)} {}

  void begin();
  void take_frame(actors::Frame& frame);
  void take_answer(actors::ClientAnswer answer);
  void take_ended(const actors::ChainEnded& ended) { settle_awaits(ended.chain, answer_ended(ended)); }
  void take_refused(const actors::Refused& refused) { settle_awaits(refused.chain, answer_error(refused.error)); }
  void take_progress(const actors::Progress& progress);
  void leave();

 private:
  static actors::LinkLimits link_limits(const ClientContext& context) {
    auto limits = context.settings->link;
    limits.message_bytes = context.limits.message_bytes;
    return limits;
  }

  // one a call
  void serve(const GetCall& get);
  void serve(const ScanCall& scan);
  void serve(ProgramCall& program);
  void serve(SubmitCall& submit);
  void serve(const ResumeCall& resume) { ask(services().supervisor, actors::ResumeChain{resume.chain}); }
  void serve(const OrderCall& order) { ask(services().supervisor, order.order); }
  void serve(const AwaitCall& await);
  void serve(const ProgressCall& progress);
  void serve(const ExplainCall& explain) { ask(services().supervisor, actors::AskExplain{explain.chain}); }
  void serve(const NodesCall&) { ask(services().dispatcher, actors::AskNodes{}); }
  void serve(const NodeOrderCall& order) { ask(services().dispatcher, order.order); }
  void serve(FileStoreCall& file);
  void serve(const PingCall&) { answer(answer_done()); }

  [[nodiscard]] Result<actors::Submission> submission_of(SubmitCall& submit);
  template <class Question>
  void ask(const caf::actor& whom, const Question& question) {
    if (!whom) return answer(answer_error(make_error(Code::internal, "the coordinator is just ending")));
    ++waiting_;
    self_->spawn(asker<Question>, call_, caf::actor{self_}, whom, question);
  }
  /// Of the call at hand.
  void answer(actors::ClientAnswer what) { send(numbered(call_, std::move(what))); }
  void send(const actors::ClientAnswer& what) {
    if (!left_) link_.send(actors::encode(what));
  }
  void settle_awaits(const ChainId& chain, const actors::ClientAnswer& what);
  void pump();
  void break_link();
  [[nodiscard]] const Services& services() const { return *context_.services; }

  caf::event_based_actor* self_;
  ClientContext context_;
  caf::actor far_;
  actors::Link link_;
  bool left_ = false;
  std::uint64_t call_ = 0;   // the number of the call at hand
  std::size_t waiting_ = 0;  // calls whose answers are to come, those that await a chain included
  std::map<ChainId, std::vector<std::uint64_t>> awaits_;
  std::map<ChainId, std::uint64_t> progress_;    // the last question for each
  std::map<std::string, std::string> programs_;  // contents by hash
  std::size_t program_bytes_ = 0;
  caf::actor files_;  // answers calls on files, one after the other
};

// ---- the link ---------------------------------------------------------------------------------------------------------

void ClientShell::begin() {
  const auto& greeting = context_.greeted.greeting;
  self_->monitor(far_);
  actors::Welcome welcome;
  welcome.version = std::min(actors::kProtocolMost, greeting.version_most);
  welcome.link = greeting.link;
  welcome.epoch = services().kv->epoch();
  welcome.store = context_.settings->store;
  welcome.software = context_.settings->software;
  welcome.lease_ms = context_.settings->lease_ms;
  welcome.heartbeat_ms = context_.settings->heartbeat_ms;
  self_->send(far_, std::move(welcome));
}

void ClientShell::take_frame(actors::Frame& frame) {
  if (frame.link != link_.id()) return;  // of a connection that is over
  auto messages = link_.take(std::move(frame));
  if (!messages) return break_link();
  for (const auto& bytes : *messages) {
    auto message = actors::decode_message(bytes);
    auto* call = message ? std::get_if<actors::ClientCall>(&*message) : nullptr;
    if (call == nullptr) return break_link();
    call_ = call->id;
    auto asked = read_call(std::move(*call));
    if (!asked) {
      answer(answer_error(asked.error()));
    } else if (waiting_ >= context_.limits.calls) {
      answer(answer_error(
          make_error(Code::expression_limit, fmt::format("more than {} calls wait for their answers", context_.limits.calls))));
    } else {
      std::visit([this](auto& what) { serve(what); }, *asked);
    }
    if (left_) return;
  }
  pump();
}

void ClientShell::pump() {
  if (left_) return;
  for (auto& frame : link_.outgoing()) self_->send(far_, std::move(frame));
  if (link_.waiting() > context_.limits.answers_bytes) break_link();  // it asks and does not read
}

void ClientShell::break_link() {
  actors::Frame last;
  last.link = link_.id();
  last.number = std::numeric_limits<std::uint64_t>::max();  // fits nowhere, which tells the other end
  self_->send(far_, std::move(last));
  leave();
}

void ClientShell::leave() {
  if (std::exchange(left_, true)) return;
  for (const auto& [chain, calls] : awaits_) {
    if (services().supervisor) self_->send(services().supervisor, actors::StopAwaiting{chain});
  }
  if (files_) self_->send_exit(files_, caf::exit_reason::user_shutdown);
  self_->quit();
}

void ClientShell::take_answer(actors::ClientAnswer what) {
  --waiting_;
  send(what);
  pump();
}

// ---- what is read -----------------------------------------------------------------------------------------------------

void ClientShell::serve(const GetCall& get) {
  auto value = services().kv->get(get.key);
  answer(value ? answer_value(*value) : answer_error(value.error()));
}

void ClientShell::serve(const ScanCall& scan) {
  ScanPage page;
  const auto read =
      services().kv->scan(scan.from, scan.to, [&](std::string_view key, std::string_view value) { return page.add(key, value); });
  answer(read ? std::move(page).answer() : answer_error(read.error()));
}

// ---- chains -----------------------------------------------------------------------------------------------------------

void ClientShell::serve(ProgramCall& program) {
  if (program_bytes_ + program.content.size() > context_.limits.program_bytes) {
    const auto message = fmt::format("the programs of a submission come to more than {} bytes", context_.limits.program_bytes);
    return answer(answer_error(make_error(Code::file_too_large, message)));
  }
  const auto bytes = program.content.size();
  if (programs_.try_emplace(std::move(program.hash), std::move(program.content)).second) program_bytes_ += bytes;
  answer(answer_done());
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
  for (const auto& hash : submit.programs) {
    const auto brought = programs_.find(hash);
    if (brought == programs_.end()) return fail(Code::argument_type, fmt::format("program {} was not brought", hash));
    submission.programs.emplace(hash, brought->second);
  }
  submission.package = std::make_shared<const lang::Package>(std::move(*package));
  return submission;
}

void ClientShell::serve(SubmitCall& submit) {
  auto submission = submission_of(submit);
  programs_.clear();
  program_bytes_ = 0;
  if (!submission) return answer(answer_error(submission.error()));
  ask(services().supervisor, *submission);
}

void ClientShell::serve(const AwaitCall& await) {
  if (!services().supervisor) return answer(answer_error(make_error(Code::internal, "the coordinator is just ending")));
  auto& calls = awaits_[await.chain];
  calls.push_back(call_);
  ++waiting_;
  if (calls.size() == 1) self_->send(services().supervisor, actors::AwaitChain{await.chain});
}

void ClientShell::settle_awaits(const ChainId& chain, const actors::ClientAnswer& what) {
  const auto calls = awaits_.extract(chain);
  if (calls.empty()) return;
  waiting_ -= calls.mapped().size();
  for (const auto call : calls.mapped()) send(numbered(call, what));
  if (const auto asked = progress_.extract(chain); !asked.empty()) {
    --waiting_;
    send(numbered(asked.mapped(), answer_progress(std::nullopt)));
  }
  pump();
}

/// Nobody answers for a chain that does not run: the next question, or its end, takes the place of the answer.
void ClientShell::serve(const ProgressCall& progress) {
  const auto [asked, first] = progress_.try_emplace(progress.chain, call_);
  if (first) {
    ++waiting_;
  } else {
    send(numbered(std::exchange(asked->second, call_), answer_progress(std::nullopt)));
  }
  if (services().supervisor) self_->send(services().supervisor, actors::AskProgress{progress.chain});
}

void ClientShell::take_progress(const actors::Progress& progress) {
  const auto asked = progress_.extract(progress.chain);
  if (asked.empty()) return;
  --waiting_;
  send(numbered(asked.mapped(), answer_progress(progress)));
  pump();
}

// ---- files ------------------------------------------------------------------------------------------------------------

void ClientShell::serve(FileStoreCall& file) {
  const auto& settings = *context_.settings;
  if (!settings.files) return answer(answer_error(make_error(Code::feature_unavailable, "this coordinator has no file store")));
  if (!files_) {
    const caf::actor me{self_};
    files_ =
        settings.detach_files ? self_->spawn<caf::detached>(file_asker, settings.files, me) : self_->spawn(file_asker, settings.files, me);
  }
  ++waiting_;
  self_->send(files_,
              actors::FileAsked{{call_, std::move(file.request.what), std::move(file.request.body), std::move(file.request.content)}});
}

// ---- the behavior -----------------------------------------------------------------------------------------------------

caf::behavior client_session(caf::stateful_actor<ClientSessionState>* self, ClientContext context) {
  self->state.shell = std::make_shared<ClientShell>(self, std::move(context));
  auto* shell = self->state.shell.get();
  self->set_down_handler([=](const caf::down_msg& down) {
    if (has_ended(*self, down)) shell->leave();
  });
  self->set_exit_handler([=](const caf::exit_msg& exit) {
    if (may_end(*self, exit)) shell->leave();
  });
  shell->begin();
  // Who has a link could send more than frames to whatever it finds: the rest comes from this process.
  return {
      [=](actors::Frame& frame) { shell->take_frame(frame); },
      [=](actors::CallAnswered& answered) { shell->take_answer(std::move(answered.answer)); },
      [=](const actors::ChainEnded& ended) { shell->take_ended(ended); },
      [=](const actors::Refused& refused) { shell->take_refused(refused); },
      [=](const actors::Progress& progress) { shell->take_progress(progress); },
  };
}

}  // namespace catena::coordinator
