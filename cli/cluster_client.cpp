#include "cli/cluster_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>
#include <chrono>
#include <future>
#include <map>
#include <set>
#include <utility>

#include "actors/caf_setup.hpp"
#include "actors/connector.hpp"
#include "actors/link.hpp"
#include "actors/wire.hpp"
#include "base/random.hpp"
#include "coordinator/recover.hpp"

namespace catena::cli {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kSlice{50};         // how long nobody asks whether to go on
constexpr milliseconds kQuietMax{15'000};  // without a word of the coordinator the connection is taken for broken
constexpr milliseconds kPingAfter{5'000};
constexpr milliseconds kPauseLeast{200};
constexpr milliseconds kPauseMost{2'000};
constexpr milliseconds kProgressEvery{250};
constexpr int kLossesMax = 3;  // of links with the same call open

/// What a person can do about it.
Error with_advice(Error error, const std::string& address) {
  const auto refused = error.details.is_object() ? error.details.value("refused", Json()) : Json();
  const auto reason = refused.is_string() ? refused.get<std::string>() : std::string{};
  if (error.code != Code::connection_failed) return error;
  auto outer = make_error(Code::connection_failed, fmt::format("no connection to the coordinator at {}: {}", address, error.message));
  outer.notes = error.notes;
  outer.details = error.details;
  if (reason == "token") {
    outer.notes.emplace_back("give the file that holds the cluster's token with --token-file, cluster.token_file or CATENA_CLUSTER__TOKEN_FILE");
  } else if (reason == "certificate" || reason == "tls" || reason == "role") {
    outer.notes.emplace_back(
        "--ca, --cert and --key (cluster.ca_file, cluster.certificate_file, cluster.key_file) name what `catena cert issue --role client` made");
  } else if (reason.empty()) {
    outer.notes.emplace_back("is a coordinator running there (`catena coordinator --listen ADDR:PORT`), and is the address right?");
  }
  return outer;
}

}  // namespace

struct ClusterClient::Parts {
  explicit Parts(ClusterOptions chosen)
      : options{std::move(chosen)}, config{1, actors::Reach::nodes}, system{config}, connector{system, dialer_options()}, self{system} {}
  ~Parts() {
    drop_link();
    connector.hang_up();
  }

  [[nodiscard]] actors::DialerOptions dialer_options() const {
    actors::DialerOptions dialer;
    dialer.coordinator = options.address;
    dialer.role = "client";
    dialer.token = options.token;
    dialer.tls = options.tls;
    dialer.plain = options.insecure_link ? actors::PlainLink::anywhere : actors::PlainLink::loopback_only;
    dialer.connect_max = options.patience;
    return dialer;
  }

  [[nodiscard]] bool stopped() const { return options.stop && options.stop(); }

  // ---- the connection
  void drop_link() {
    if (session) self->demonitor(session.address());
    session = nullptr;
    link.reset();
    answers.clear();
    asked.clear();
  }

  /// One try.
  Result<void> open() {
    drop_link();
    const auto until = SteadyClock::now() + milliseconds{options.patience.count()};
    const auto called = std::make_shared<std::promise<Result<actors::Connector::Call>>>();
    auto call = called->get_future();
    connector.call([called](Result<actors::Connector::Call> result) { called->set_value(std::move(result)); });
    while (call.wait_for(kSlice) != std::future_status::ready) {
      if (stopped()) return fail(Code::cancelled, "interrupted");
      // the connector gives up by itself, a little later: it knows more
      if (SteadyClock::now() > until + milliseconds{2'000}) return fail(Code::connection_failed, "nobody answered in time");
    }
    auto found = call.get();
    if (!found) return fail(std::move(found).error());
    return greet(*found, until);
  }

  Result<void> greet(const actors::Connector::Call& call, SteadyClock::time_point until) {
    actors::Greeting greeting;
    greeting.role = "client";
    greeting.pass = call.pass;
    greeting.link = entropy() | 1U;
    greeting.name = "client";
    greeting.software = CATENA_VERSION;
    const auto number = greeting.link;
    self->send(call.front, std::move(greeting));
    std::optional<Error> error;
    while (!link && !error) {
      if (stopped()) return fail(Code::cancelled, "interrupted");
      if (SteadyClock::now() > until) return fail(Code::connection_failed, "the coordinator did not answer the greeting in time");
      self->receive(
          [&](const actors::Welcome& welcome) {
            if (welcome.link != number) return;
            session = caf::actor_cast<caf::actor>(self->current_sender());
            link.emplace(number);
            ++links;
            self->monitor(session);
            heard = SteadyClock::now();
          },
          [&](const actors::TurnedAway& turned) {
            if (turned.link == number)
              error = make_error(Code::connection_failed, "the coordinator turned this client away: " + turned.words);
          },
          [&](const actors::Frame&) {}, [&](const caf::down_msg&) {}, caf::after(kSlice) >> [] {});
    }
    if (error) {
      error->details = Json{{"refused", "greeting"}};
      return fail(*error);
    }
    return {};
  }

  /// Tries for as long as patience lasts.
  Result<void> open_again() {
    if (options.say)
      options.say(fmt::format("the connection to {} is lost; trying again for {} s", options.address, options.reconnect.count() / 1000));
    const auto until = SteadyClock::now() + milliseconds{options.reconnect.count()};
    auto pause = kPauseLeast;
    while (true) {
      auto opened = open();
      if (opened) {
        if (options.say) options.say(fmt::format("connected to {} again", options.address));
        return {};
      }
      if (opened.error().code == Code::cancelled || SteadyClock::now() + pause > until) return opened;
      self->receive([](const caf::down_msg&) {}, [](const actors::Frame&) {}, [](const actors::Welcome&) {},
                    [](const actors::TurnedAway&) {}, caf::after(pause) >> [] {});
      pause = std::min(2 * pause, kPauseMost);
    }
  }

  // ---- messages
  void flush() {
    for (auto& frame : link->outgoing()) self->send(session, std::move(frame));
  }

  /// The call's number. Without a link: one that is never answered.
  Result<std::uint64_t> send(coordinator::ClientAsk ask) {
    auto call = coordinator::write_call(std::move(ask));
    call.id = ++last;
    auto bytes = coordinator::encode_call(std::move(call));
    if (!bytes) return fail(std::move(bytes).error());
    asked.insert(last);
    if (link) {
      link->send(std::move(*bytes));
      flush();
    }
    return last;
  }

  /// A call that breaks every link that carries it is not made for ever. `losses`: of links, with it open.
  Result<void> count_loss(int& losses) const {
    if (++losses < kLossesMax) return {};
    return fail(Code::connection_failed,
                fmt::format("the connection to the coordinator at {} broke {} times while the same call was open: it is not made again; the "
                            "coordinator's log may say why",
                            options.address, losses));
  }

  void take(actors::Frame frame) {
    if (!link || frame.link != link->id()) return;
    heard = SteadyClock::now();
    auto messages = link->take(std::move(frame));
    if (!messages) return drop_link();
    for (const auto& bytes : *messages) {
      auto message = actors::decode_message(bytes);
      auto* answer = message ? std::get_if<actors::ClientAnswer>(&*message) : nullptr;
      if (answer == nullptr) return drop_link();
      if (asked.erase(answer->id) == 0) continue;  // nobody waits for it any more
      answers.emplace(answer->id, std::move(*answer));
    }
    flush();
  }

  /// Takes what comes within `span`; returns early with the first message.
  void pump(milliseconds span) {
    self->receive([&](actors::Frame& frame) { take(std::move(frame)); },
                  [&](const caf::down_msg& down) {
                    if (session && down.source == session.address()) drop_link();
                  },
                  [](const actors::Welcome&) {}, [](const actors::TurnedAway&) {}, caf::after(span) >> [] {});
    if (!link) return;
    const auto quiet = SteadyClock::now() - heard;
    if (quiet > kQuietMax) return drop_link();
    if (quiet > kPingAfter && SteadyClock::now() - pinged > kPingAfter) {
      pinged = SteadyClock::now();
      static_cast<void>(send(coordinator::PingCall{}));
    }
  }

  [[nodiscard]] std::optional<actors::ClientAnswer> answer_to(std::uint64_t call) {
    auto found = answers.extract(call);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
  }

  struct Answered {
    actors::ClientAnswer answer;
    bool repeated = false;  // the call was made more than once
  };
  Result<Answered> call(const coordinator::ClientAsk& ask, bool may_be_repeated = true) {
    bool repeated = false;
    int losses = 0;
    while (true) {
      if (!link) {
        if (auto opened = open_again(); !opened) return fail(with_advice(std::move(opened).error(), options.address));
      }
      const auto number = send(ask);
      if (!number) return fail(number.error());
      while (link) {
        pump(kSlice);
        if (auto answer = answer_to(*number)) return Answered{std::move(*answer), repeated};
      }
      if (!may_be_repeated) {
        return fail(Code::connection_failed,
                    "the connection to the coordinator broke: nobody knows whether this was done; look before you try again");
      }
      if (auto again = count_loss(losses); !again) return fail(std::move(again).error());
      repeated = true;
    }
  }

  /// Of an answer that says only that it is done.
  Result<void> done(const coordinator::ClientAsk& ask, Code meant_when_repeated) {
    const auto answered = call(ask);
    if (!answered) return fail(answered.error());
    auto read = coordinator::read_done(answered->answer);
    // The first one arrived, it seems: what comes of it is seen by who goes on watching.
    if (!read && answered->repeated && read.error().code == meant_when_repeated) return {};
    return read;
  }

  ClusterOptions options;
  actors::SystemConfig config;
  caf::actor_system system;
  actors::Connector connector;
  caf::scoped_actor self;
  caf::actor session;
  std::optional<actors::Link> link;
  SteadyClock::time_point heard;
  SteadyClock::time_point pinged;
  std::uint64_t last = 0;
  std::uint64_t links = 0;  // how many there have been
  std::set<std::uint64_t> asked;
  std::map<std::uint64_t, actors::ClientAnswer> answers;
};

namespace {

CallCoordinator calls_of(const std::function<Result<actors::ClientAnswer>(const coordinator::ClientAsk&, bool)>& call) {
  return [call](const coordinator::ClientAsk& ask) {
    const auto* file = std::get_if<coordinator::FileStoreCall>(&ask);
    return call(ask, file == nullptr || actors::may_be_repeated(file->request.what));
  };
}

}  // namespace

ClusterClient::ClusterClient(std::unique_ptr<Parts> parts)
    : parts_{std::move(parts)},
      kv_{calls_of([this](const coordinator::ClientAsk& ask, bool repeat) {
        return parts_->call(ask, repeat).map([](Parts::Answered answered) { return std::move(answered.answer); });
      })},
      files_{calls_of([this](const coordinator::ClientAsk& ask, bool repeat) {
        return parts_->call(ask, repeat).map([](Parts::Answered answered) { return std::move(answered.answer); });
      })} {}

ClusterClient::~ClusterClient() = default;

Result<std::unique_ptr<ClusterClient>> ClusterClient::connect(ClusterOptions options) {
  const auto address = options.address;
  auto parts = std::make_unique<Parts>(std::move(options));
  if (auto opened = parts->open(); !opened) return fail(with_advice(std::move(opened).error(), address));
  return std::unique_ptr<ClusterClient>{new ClusterClient{std::move(parts)}};
}

const std::string& ClusterClient::address() const { return parts_->options.address; }

Result<void> ClusterClient::submit(actors::Submission submission) {
  coordinator::SubmitCall submit;
  submit.chain = submission.chain;
  submit.manifest = submission.package->manifest;
  submit.arguments = submission.arguments.text;
  submit.context = submission.context.text;
  submit.durability = submission.durability;
  submit.priority = submission.priority;
  for (const auto& [hash, content] : submission.programs) submit.programs.push_back(hash);
  bool repeated = false;
  int losses = 0;
  while (true) {
    // Programs are kept by the session: a new connection needs them again.
    for (const auto& [hash, content] : submission.programs) {
      const auto brought = parts_->call(coordinator::ProgramCall{hash, content});
      if (!brought) return fail(brought.error());
      if (auto taken = coordinator::read_done(brought->answer); !taken) return taken;
    }
    if (!parts_->link) continue;
    const auto number = parts_->send(submit);
    if (!number) return fail(number.error());
    std::optional<actors::ClientAnswer> answer;
    while (parts_->link && !answer) {
      parts_->pump(kSlice);
      answer = parts_->answer_to(*number);
    }
    if (!answer) {
      if (auto again = parts_->count_loss(losses); !again) return again;
      repeated = true;
      if (auto opened = parts_->open_again(); !opened) return fail(with_advice(std::move(opened).error(), address()));
      continue;
    }
    auto read = coordinator::read_done(*answer);
    if (read || !repeated || read.error().code != Code::chain_exists) return read;
    const auto there = coordinator::recover_state(kv_, submission.chain);
    if (!there) return fail(there.error());
    const bool same = there->state.package == submission.package->hash && there->state.definition == submission.definition;
    const auto& arguments = there->state.arguments;
    if (same && (arguments.in_blob() || arguments.text == submission.arguments.text)) return {};
    return read;
  }
}

Result<void> ClusterClient::resume(const ChainId& chain) { return parts_->done(coordinator::ResumeCall{chain}, Code::chain_state); }

Result<void> ClusterClient::order(actors::Order order) { return parts_->done(coordinator::OrderCall{std::move(order)}, Code::chain_state); }

Result<std::optional<actors::ChainEnded>> ClusterClient::wait(const ChainId& chain, std::chrono::milliseconds tick,
                                                              const Watcher& watcher) {
  auto& parts = *parts_;
  std::optional<actors::Progress> progress;
  std::uint64_t await = 0;
  std::uint64_t of = 0;  // the link that it was asked on: a watcher that reads the store may have met a broken one
  std::uint64_t question = 0;
  SteadyClock::time_point asked_at;
  auto next_tick = SteadyClock::now() + tick;
  while (true) {
    if (!parts.link) {
      if (auto opened = parts.open_again(); !opened) {
        if (opened.error().code == Code::cancelled) return std::nullopt;
        return fail(with_advice(std::move(opened).error(), address()));
      }
    }
    if (of != parts.links) {
      const auto sent = parts.send(coordinator::AwaitCall{chain});
      if (!sent) return fail(sent.error());
      await = *sent;
      of = parts.links;
      question = 0;
    }
    const auto left = std::chrono::ceil<milliseconds>(next_tick - SteadyClock::now());
    parts.pump(std::max(left, milliseconds{0}));
    if (auto answer = parts.answer_to(await)) {
      auto ended = coordinator::read_ended(*answer);
      if (!ended) return fail(std::move(ended).error());
      return std::optional{std::move(*ended)};
    }
    if (question != 0) {
      if (auto answer = parts.answer_to(question)) {
        question = 0;
        if (auto told = coordinator::read_progress(*answer); told && *told) progress = std::move(**told);
      }
    }
    if (SteadyClock::now() < next_tick) continue;
    next_tick = SteadyClock::now() + tick;
    if (parts.link && question == 0 && SteadyClock::now() - asked_at >= kProgressEvery) {
      question = parts.send(coordinator::ProgressCall{chain}).value_or(0);
      asked_at = SteadyClock::now();
    }
    if (!watcher(progress)) return std::nullopt;
  }
}

Result<actors::Nodes> ClusterClient::nodes() {
  const auto answered = parts_->call(coordinator::NodesCall{});
  if (!answered) return fail(answered.error());
  return coordinator::read_nodes(answered->answer);
}

Result<void> ClusterClient::order_node(const actors::NodeOrder& order) {
  return parts_->done(coordinator::NodeOrderCall{order}, Code::internal);
}

Result<std::vector<std::string>> ClusterClient::explain(const ChainId& chain) {
  const auto answered = parts_->call(coordinator::ExplainCall{chain});
  if (!answered) return fail(answered.error());
  return coordinator::read_words(answered->answer);
}

}  // namespace catena::cli
