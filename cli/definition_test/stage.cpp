#include "cli/definition_test/stage.hpp"

#include <fmt/format.h>

#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <deque>
#include <map>
#include <utility>

#include "coordinator/core.hpp"
#include "coordinator/file_service.hpp"
#include "coordinator/recover.hpp"
#include "coordinator/values.hpp"
#include "storage/memory_kv.hpp"

namespace catena::cli {
namespace {

/// An attempt that has begun and not ended.
struct Begun {
  caf::actor reporter;
  std::string chain;
  GrantId grant = 0;
  Incarnation incarnation = 0;
  ItemIndex item = 0;
  Played played;
};

struct PlayerState {
  std::map<std::uint64_t, Begun> begun;
  std::uint64_t last = 0;
  static inline const char* name = "player";
};

using PlayerSelf = caf::stateful_actor<PlayerState>*;

void end_attempt(PlayerState& state, std::uint64_t id) {
  const auto found = state.begun.extract(id);
  if (found.empty()) return;
  const auto& begun = found.mapped();
  constexpr std::int64_t kTookUs = 1000;
  caf::anon_send(begun.reporter, actors::WorkReport{begun.grant, begun.incarnation, {{begun.item, begun.played.ok, begun.played.text, kTookUs}}, {}});
}

/// A worker that runs nothing.
caf::behavior player_actor(PlayerSelf self, const Stage::Player* player, std::vector<Execution>* executions, const StageOptions& options,
                           const caf::actor& dispatcher) {
  self->send(dispatcher, actors::Hello{"stage", 1, options.slots, {"*"}, {"*"}, {}, false});
  const auto prefix = options.chain.value.size() + 1;
  return {
      [=](const actors::WorkOrder& order) {
        const auto reporter = caf::actor_cast<caf::actor>(self->current_sender());
        std::vector<std::uint64_t> at_once;
        for (const auto& attempt : order.attempts) {
          executions->push_back({attempt.key.substr(prefix), order.tool, attempt.attempt, attempt.arguments, order.context});
          auto played = (*player)(order, attempt);
          const auto id = ++self->state.last;
          if (!played.held && played.after.count() > 0) self->delayed_send(self, played.after, id);
          if (!played.held && played.after.count() <= 0) at_once.push_back(id);
          self->state.begun.emplace(id, Begun{reporter, order.chain, order.grant, order.incarnation, attempt.item, std::move(played)});
        }
        for (const auto id : at_once) end_attempt(self->state, id);
      },
      [=](const actors::StopOrder& stop) {
        std::vector<std::uint64_t> stopped;
        for (auto& [id, begun] : self->state.begun) {
          if (begun.chain != stop.chain || begun.grant != stop.grant) continue;
          begun.played = played_failure(make_error(Code::cancelled, "it was stopped"));
          stopped.push_back(id);
        }
        for (const auto id : stopped) end_attempt(self->state, id);
      },
      [=](std::uint64_t id) { end_attempt(self->state, id); },
  };
}

/// Sends signals when it is time.
caf::behavior people_actor(caf::event_based_actor* self, const StageRequest* request, const ChainId& chain, std::vector<Error>* refused,
                           const caf::actor& supervisor) {
  for (std::uint64_t index = 0; index < request->signals.size(); ++index) {
    const auto after = request->signals[index].after;
    if (after.count() > 0) {
      self->delayed_send(self, after, index);
    } else {
      self->send(self, index);
    }
  }
  return {
      [=](std::uint64_t index) {
        const auto& sent = request->signals[index];
        const ChainId to{sent.below.empty() ? chain.value : chain.value + "/" + sent.below};
        self->send(supervisor, actors::Control{to, engine::Signal{sent.name, engine::inline_payload(sent.data), {}, {}, {}}});
      },
      [=](const actors::Refused& refusal) { refused->push_back(refusal.error); },
      [](const actors::Accepted&) {},
  };
}

/// Answers to what waits for approval. One that comes before its step waits is given again when something has happened.
struct GivenAnswers {
  std::deque<std::uint64_t> due;
  std::vector<std::pair<std::uint64_t, Error>> early;
  std::uint64_t taken = 0;
  bool asked = false;  // the first that is due
};

caf::behavior answers_actor(caf::event_based_actor* self, const StageRequest* request, const ChainId& chain, GivenAnswers* answers,
                            std::vector<Error>* refused, const caf::actor& supervisor) {
  for (std::uint64_t index = 0; index < request->answers.size(); ++index) {
    const auto after = request->answers[index].after;
    if (after.count() > 0) {
      self->delayed_send(self, after, index);
    } else {
      self->send(self, index);
    }
  }
  const auto give_next = [=] {
    if (answers->asked || answers->due.empty()) return;
    answers->asked = true;
    const auto& given = request->answers[answers->due.front()];
    actors::Control control{ChainId{given.below.empty() ? chain.value : chain.value + "/" + given.below}, given.approval};
    control.step = given.step;
    control.reason = given.approval.reason;
    self->send(supervisor, std::move(control));
  };
  const auto answered = [=] {
    answers->asked = false;
    const auto index = answers->due.front();
    answers->due.pop_front();
    return index;
  };
  return {
      [=](std::uint64_t index) {
        answers->due.push_back(index);
        give_next();
      },
      [=](bool) {
        for (const auto& [index, error] : std::exchange(answers->early, {})) answers->due.push_back(index);
        give_next();
      },
      [=](const actors::Refused& refusal) {
        const auto index = answered();
        const bool early = refusal.error.code == Code::chain_state || refusal.error.code == Code::chain_not_found;
        if (early) answers->early.emplace_back(index, refusal.error);
        if (!early) refused->push_back(refusal.error);
        give_next();
      },
      [=](const actors::Accepted&) {
        static_cast<void>(answered());
        ++answers->taken;
        give_next();
      },
  };
}

}  // namespace

Played played_response(std::string json, Millis after) { return {true, std::move(json), after, false}; }

Played played_failure(const Error& error, Millis after) { return {false, to_json(error).dump(), after, false}; }

struct Stage::Parts {
  struct StageConfig : caf::actor_system_config {
    StageConfig() {
      add_message_types<caf::id_block::catena_protocol>();
      set("scheduler.policy", caf::atom("testing"));
      set("logger.verbosity", caf::atom("quiet"));
    }
  };

  /// The time of the actors, which moves when nothing is left to do.
  class VirtualClock final : public Clock {
   public:
    explicit VirtualClock(const caf::detail::test_actor_clock& clock) : clock_{clock} {}
    [[nodiscard]] UnixMillis now() const override {
      constexpr UnixMillis kStart = 1'700'000'000'000;
      return kStart + std::chrono::duration_cast<Millis>(clock_.now().time_since_epoch()).count();
    }

   private:
    const caf::detail::test_actor_clock& clock_;
  };

  explicit Parts(const StageOptions& given) : options{given}, files{kv, clock, coordinator::commit_into(kv)} {
    core.add_slots(system.spawn(player_actor, static_cast<const Player*>(&player), &executions, options, core.dispatcher()));
    settle();
  }

  ~Parts() {
    core.end([this](const std::vector<caf::actor>&) {
      while (scheduler.has_job()) scheduler.run_once();
    });
  }

  [[nodiscard]] coordinator::CoreOptions core_options() {
    coordinator::CoreOptions parts;
    parts.kv = &kv;
    parts.clock = &clock;
    parts.settings.timer_ms_max = 0;  // that clock is moved by timers
    parts.files = options.files != nullptr ? options.files : &files;
    parts.catalog = options.catalog;
    parts.fatal = [this](const Error& error) { fatal = error; };
    return parts;
  }

  /// Until nothing is left to do at this time, or too much was done.
  void settle() {
    while (!is_over() && scheduler.has_job()) scheduler.run_once();
  }

  [[nodiscard]] bool too_many() const { return executions.size() > options.executions_max; }
  [[nodiscard]] bool is_over() {
    constexpr std::uint64_t kLookEvery = 256;
    if (!stopped && options.stopped && ++looked % kLookEvery == 0) stopped = options.stopped();
    return stopped || too_many();
  }

  void listen() {
    bool more = true;
    while (more) {
      client->receive([&](actors::ChainEnded& message) { ended = std::move(message); },
                      [&](actors::Refused& message) {
                        if (!refused) refused = std::move(message.error);
                      },
                      [](const actors::Accepted&) {}, [](const actors::Progress&) {}, caf::after(std::chrono::seconds{0}) >> [&] { more = false; });
    }
  }

  StageOptions options;
  storage::MemoryKv kv;
  StageConfig config;
  caf::actor_system system{config};
  caf::scheduler::test_coordinator& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  VirtualClock clock{scheduler.clock()};
  coordinator::FileService files;
  caf::scoped_actor client{system};
  Player player;
  std::vector<Execution> executions;
  std::vector<Error> not_taken;
  std::optional<actors::ChainEnded> ended;
  std::optional<Error> refused;
  std::optional<Error> fatal;
  bool stopped = false;
  std::uint64_t looked = 0;
  coordinator::Core core{system, core_options()};
};

Stage::Stage(const StageOptions& options) : parts_{std::make_unique<Parts>(options)} {}

Stage::~Stage() = default;

Result<actors::ChainEnded> Stage::run(const StageRequest& request, Player player) {
  auto& parts = *parts_;
  parts.player = std::move(player);
  actors::Submission submission;
  submission.chain = parts.options.chain;
  submission.package = request.package;
  submission.definition = request.package->root;
  submission.arguments = engine::inline_payload(request.arguments);
  if (!request.context.empty()) submission.context = engine::inline_payload(request.context);
  parts.client->send(parts.core.supervisor(), std::move(submission));
  parts.client->send(parts.core.supervisor(), actors::AwaitChain{parts.options.chain});
  parts.settle();  // the chain is there, and so are those that it begins at once: a signal may be for one of them
  const auto people = parts.system.spawn(people_actor, &request, parts.options.chain, &parts.not_taken, parts.core.supervisor());
  GivenAnswers given;
  const auto answers = parts.system.spawn(answers_actor, &request, parts.options.chain, &given, &parts.not_taken, parts.core.supervisor());
  const auto answer_again = [&] {
    for (auto taken = given.taken + 1; !given.early.empty() && taken != given.taken && !parts.is_over();) {
      taken = given.taken;
      caf::anon_send(answers, true);
      parts.settle();
    }
  };
  const auto dismiss = [&] {
    caf::anon_send_exit(people, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(answers, caf::exit_reason::user_shutdown);
    while (parts.scheduler.has_job()) parts.scheduler.run_once();
  };
  do {
    parts.settle();
    answer_again();
    parts.listen();
  } while (!parts.ended && !parts.refused && !parts.fatal && !parts.is_over() && parts.scheduler.trigger_timeout());
  dismiss();
  for (auto& [index, error] : given.early) parts.not_taken.push_back(std::move(error));
  if (parts.fatal) return fail(*parts.fatal);
  if (parts.refused) return fail(*parts.refused);
  if (parts.ended) return *parts.ended;
  if (parts.stopped) return fail(Code::chain_state, "the chain was stopped: its tests took too long");
  const auto why = parts.too_many()
                       ? fmt::format("it made more than {} attempts", parts.options.executions_max)
                       : std::string{"nothing moves it any more: an attempt never ends, or is in doubt, or a signal or an approval never comes"};
  return fail(Code::chain_state, fmt::format("the chain does not end: {}", why));
}

const std::vector<Execution>& Stage::executions() const { return parts_->executions; }

const std::vector<Error>& Stage::refused() const { return parts_->not_taken; }

const Clock& Stage::clock() const { return parts_->clock; }

lang::FileStore& Stage::files() { return parts_->files; }

Result<engine::ChainState> Stage::state() const {
  auto recovered = coordinator::recover_state(parts_->kv, parts_->options.chain);
  if (!recovered) return fail(recovered.error());
  return std::move(recovered->state);
}

Result<std::vector<engine::Event>> Stage::history() const {
  std::vector<engine::Event> events;
  const auto read = coordinator::read_history(parts_->kv, parts_->options.chain, [&](Sequence, const engine::Event& event) {
    events.push_back(event);
    return true;
  });
  if (!read) return fail(read.error());
  return events;
}

Result<lang::JsonText> Stage::value(const engine::Payload& payload) const { return coordinator::read_payload(parts_->kv, payload); }

}  // namespace catena::cli
