#include "api/call_asker.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <chrono>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "coordinator/call_server.hpp"
#include "coordinator/file_calls.hpp"
#include "coordinator/posted_calls.hpp"

namespace catena::api {
namespace {

constexpr std::size_t kFileAnswerMax = 64UL << 20U;  // as large as a file may be

coordinator::CallServerOptions server_options(const CallAskerOptions& options) {
  coordinator::CallServerOptions server;
  server.services = options.services;
  server.by = options.asking->asked.by;
  if (options.services->store_files)
    server.files = [files = options.services->store_files](actors::FileAsk ask) { return coordinator::serve_file_call(std::move(ask), *files); };
  server.calls = coordinator::kPostedCallsMax;
  return server;
}

}  // namespace

class CallAskerShell {
  /// Calls that may stay without an answer for as long as a chain runs. `asks`: in the end it is told that there is none.
  enum class Patience : std::uint8_t { answered, waits, asks };
  static Patience patience_of(const Result<coordinator::ClientAsk>& call) {
    if (!call) return Patience::answered;
    if (std::holds_alternative<coordinator::AwaitCall>(*call)) return Patience::waits;
    return std::holds_alternative<coordinator::ProgressCall>(*call) ? Patience::asks : Patience::answered;
  }
  /// Its answer may be a whole file.
  static bool is_bulky(const Result<coordinator::ClientAsk>& call) {
    const auto* file = call ? std::get_if<coordinator::FileStoreCall>(&*call) : nullptr;
    return file != nullptr && file->ask.verb == actors::FileVerb::read;
  }

 public:
  CallAskerShell(caf::event_based_actor* self, caf::actor desk, CallAskerOptions options)
      : self_{self},
        desk_{std::move(desk)},
        options_{std::move(options)},
        server_{self, server_options(options_), [this](std::uint64_t call, std::string answer) { take(call, std::move(answer)); }} {
    answers_.answers.resize(options_.order->calls.size());
    for (const auto& call : options_.order->calls) patience_.push_back(patience_of(call));
    if (!options_.room) options_.room = std::make_shared<AnswerRoom>(std::numeric_limits<std::size_t>::max());
  }
  ~CallAskerShell() { options_.room->held -= bytes_ + (bulky_ ? kFileAnswerMax : 0); }
  CallAskerShell(const CallAskerShell&) = delete;
  CallAskerShell& operator=(const CallAskerShell&) = delete;

  void begin() {
    self_->monitor(desk_);
    self_->delayed_send(self_, std::chrono::milliseconds{options_.order->wait.count()}, CallsDue{true});
    self_->send(self_, CallsDue{});
  }
  template <class Take>
  void with_calls(const Take& take) {
    if (over_) return;
    take(server_);
    go_on();
  }
  void take_time(const CallsDue& due) {
    if (over_) return;
    time_is_over_ = time_is_over_ || due.wait_is_over;
    go_on();
  }
  void take_end() {
    if (!over_) end(to_answer(make_error(Code::overloaded, "the coordinator is just ending; ask again when it is back"), false));
  }

 private:
  void take(std::uint64_t call, std::string answer) {
    bytes_ += answer.size();
    options_.room->held += answer.size();
    --open_;
    if (patience_[call] != Patience::answered) --patient_;
    answers_.answers[call] = {true, std::move(answer)};
    if (bulky_ != call) return;
    options_.room->held -= kFileAnswerMax;
    bulky_.reset();
  }

  /// Serves what may be served, and answers the request when nothing is left to wait for.
  void go_on() {
    auto& calls = options_.order->calls;
    while (next_ < calls.size() && server_.asked() < coordinator::kAskedAtATime && !is_full()) {
      if (is_bulky(calls[next_])) {
        if (bulky_) break;  // the next one when its answer is here
        bulky_ = next_;
        options_.room->held += kFileAnswerMax;
      }
      const auto call = next_++;
      ++open_;
      if (patience_[call] != Patience::answered) ++patient_;
      server_.serve(call, std::move(calls[call]));
    }
    // Large answers of its own are told at once; for room that others take it waits as long as it asked to.
    const bool waits_no_longer = time_is_over_ || bytes_ >= options_.answer_bytes_max;
    if (over_ || (next_ < calls.size() && !is_full()) || open_ > (waits_no_longer ? patient_ : 0)) return;
    if (next_ == open_ && next_ < calls.size()) {  // others hold the room: asked again at once, it would come to the same
      return end(
          to_answer(make_error(Code::overloaded, "the answers to other commands take all the memory that there is for them; try again"), false));
    }
    for (std::size_t call = 0; call < next_; ++call) {
      if (patience_[call] == Patience::asks && !answers_.answers[call].told)
        answers_.answers[call] = {true, coordinator::encode_answer(coordinator::ProgressTold{})};
    }
    answers_.software = options_.software;
    end({200, coordinator::encode_posted(answers_), std::string{coordinator::kPostedCallsType}});
  }

  /// No further call is begun.
  [[nodiscard]] bool is_full() const { return bytes_ >= options_.answer_bytes_max || options_.room->is_full(); }

  void end(Answer answer) {
    over_ = true;
    server_.leave();
    options_.asking->reply(std::move(answer));
    self_->demonitor(desk_);
    self_->send(desk_, CallsDone{options_.asking->bytes});
    self_->clock().cancel_timeouts(self_);  // it would keep what is left of this actor until it is due
    self_->quit();
  }

  caf::event_based_actor* self_;
  caf::actor desk_;
  CallAskerOptions options_;
  coordinator::CallServer server_;
  coordinator::PostedAnswers answers_;
  std::vector<Patience> patience_;
  std::size_t next_ = 0;
  std::size_t open_ = 0;              // begun and without an answer
  std::size_t patient_ = 0;           // and of those, that may stay so
  std::size_t bytes_ = 0;             // of the answers
  std::optional<std::size_t> bulky_;  // begun and without an answer; the room is kept for it
  bool time_is_over_ = false;
  bool over_ = false;
};

caf::behavior call_asker(caf::stateful_actor<CallAskerState>* self, const caf::actor& desk, CallAskerOptions options) {
  self->state.shell = std::make_shared<CallAskerShell>(self, desk, std::move(options));
  auto* shell = self->state.shell.get();
  self->set_down_handler([=](const caf::down_msg&) { shell->take_end(); });
  shell->begin();
  return {
      [=](actors::CallAnswered& answered) { shell->with_calls([&](coordinator::CallServer& calls) { calls.take_answer(std::move(answered)); }); },
      [=](const actors::ChainEnded& ended) { shell->with_calls([&](coordinator::CallServer& calls) { calls.take_ended(ended); }); },
      [=](const actors::Refused& refused) { shell->with_calls([&](coordinator::CallServer& calls) { calls.take_refused(refused); }); },
      [=](const actors::Progress& progress) { shell->with_calls([&](coordinator::CallServer& calls) { calls.take_progress(progress); }); },
      [=](const CallsDue& due) { shell->take_time(due); },
  };
}

}  // namespace catena::api
