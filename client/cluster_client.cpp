#include "client/cluster_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "actors/channel.hpp"
#include "actors/directions.hpp"
#include "client/connection_advice.hpp"
#include "client/inbox.hpp"
#include "link/dialer.hpp"

namespace catena::client {
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

/// Of an answer that says only that it is done.
Result<void> done_of(std::string_view answer) {
  return coordinator::read_answer_as<coordinator::Done>(answer).map([](const coordinator::Done&) {});
}

}  // namespace

struct ClusterClient::Parts {
  Parts(ClusterOptions chosen, std::unique_ptr<link::Dialer> to_coordinator) : options{std::move(chosen)}, dialer{std::move(to_coordinator)} {}
  ~Parts() { drop_link(); }

  [[nodiscard]] static link::DialerOptions dialer_options(const ClusterOptions& options) {
    link::DialerOptions dialer;
    dialer.coordinator = options.address;
    dialer.role = "client";
    dialer.token = options.token;
    dialer.tls = options.tls;
    dialer.plain = options.insecure_link ? link::PlainLink::anywhere : link::PlainLink::loopback_only;
    dialer.connect_max = options.patience;
    return dialer;
  }

  [[nodiscard]] bool stopped() const { return options.stop && options.stop(); }

  // ---- the connection
  void drop_link() {
    inbox->listen_to(nullptr);
    channel.reset();
    answers.clear();
    asked.clear();
  }
  [[nodiscard]] bool linked() const { return channel && welcomed; }

  /// One try.
  Result<void> open() {
    drop_link();
    const auto until = SteadyClock::now() + milliseconds{options.patience.count()};
    dialer->dial([box = inbox, dial = inbox->begin_dial()](Result<link::LinePtr> line) { box->put_dialled(dial, std::move(line)); });
    std::optional<Result<link::LinePtr>> dialled;
    while (!dialled) {
      if (stopped()) return fail(Code::cancelled, "interrupted");
      // the dialer gives up by itself, a little earlier: it knows more
      if (SteadyClock::now() > until + milliseconds{2'000}) return fail(Code::connection_failed, "nobody answered in time");
      dialled = inbox->wait_dialled(kSlice);
    }
    if (!*dialled) return fail(std::move(*dialled).error());
    return greet(std::move(**dialled), until);
  }

  Result<void> greet(link::LinePtr line, SteadyClock::time_point until) {
    inbox->listen_to(line.get());
    const auto* const from = line.get();
    line->deliver_to({[box = inbox, from](std::vector<link::Frame> frames) { box->put_frames(from, std::move(frames)); },
                      [box = inbox, from](const std::string&) { box->put_over(from); }});
    channel = std::make_unique<actors::Channel>(std::move(line));
    welcomed = false;
    turned.reset();
    actors::Greeting greeting;
    greeting.role = "client";
    greeting.name = "client";
    greeting.software = CATENA_VERSION;
    channel->say(std::move(greeting));
    channel->flush();
    while (channel && !welcomed) {
      if (stopped()) return fail(Code::cancelled, "interrupted");
      if (SteadyClock::now() > until) return fail(Code::connection_failed, "the coordinator did not answer the greeting in time");
      pump(kSlice);
    }
    if (welcomed) {
      ++links;
      heard = SteadyClock::now();
      return {};
    }
    if (!turned) return fail(Code::connection_failed, "the coordinator ended the connection at the greeting");
    auto error = make_error(Code::connection_failed, "the coordinator turned this client away: " + turned->words);
    error.details = Json{{"refused", "greeting"}};
    return fail(std::move(error));
  }

  /// Who is turned away because too many come at once tries again for as long as patience lasts.
  Result<void> open_when_not_busy() {
    const auto until = SteadyClock::now() + milliseconds{options.patience.count()};
    while (true) {
      auto opened = open();
      const bool busy = !opened && opened.error().details == Json{{"refused", "busy"}};
      if (!busy || SteadyClock::now() + kPauseLeast > until) return opened;
      if (!rest(kPauseLeast)) return fail(Code::cancelled, "interrupted");
    }
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
      if (!rest(pause)) return fail(Code::cancelled, "interrupted");
      pause = std::min(2 * pause, kPauseMost);
    }
  }

  /// False: it was told to stop meanwhile.
  [[nodiscard]] bool rest(milliseconds span) {
    const auto until = SteadyClock::now() + span;
    while (SteadyClock::now() < until) {
      if (stopped()) return false;
      static_cast<void>(inbox->wait_frames(std::min(kSlice, std::chrono::ceil<milliseconds>(until - SteadyClock::now()))));
    }
    return true;
  }

  // ---- messages
  /// The call's number. Without a link: one that is never answered.
  Result<std::uint64_t> send(const coordinator::ClientAsk& ask) {
    auto bytes = coordinator::encode_call(++last, ask);
    if (!bytes) return fail(std::move(bytes).error());
    asked.insert(last);
    if (linked()) {
      channel->say_bytes(std::move(*bytes));
      channel->flush();
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

  void take(actors::NodeMessage& message) {
    std::visit(Overloads{
                   [this](const actors::Welcome&) { welcomed = true; },
                   [this](actors::TurnedAway& away) {
                     turned = std::move(away);
                     drop_link();
                   },
                   [this](actors::ClientAnswer& answer) {
                     if (asked.erase(answer.id) != 0) answers.emplace(answer.id, std::move(answer.body));  // else nobody waits for it any more
                   },
                   [](const codec::Unknown&) {},  // of a later version
                   []<class Said>(const Said&) requires actors::SaidByClient<Said> || actors::SaidByWorker<Said> ||
                       (actors::SaidToWorker<Said> && !actors::SaidToClient<Said>){},
               },
               message);
  }

  /// Takes what comes within `span`; returns early with the first message.
  void pump(milliseconds span) {
    auto come = inbox->wait_frames(span);
    if (!channel) return;
    if (!come.frames.empty()) {
      heard = SteadyClock::now();
      auto messages = channel->decode(std::move(come.frames));
      if (!messages) return drop_link();
      for (auto& message : *messages) {
        take(message);
        if (!channel) return;
      }
      channel->flush();
    }
    if (come.over) return drop_link();
    if (!welcomed) return;
    const auto quiet = SteadyClock::now() - heard;
    if (quiet > kQuietMax) return drop_link();
    if (quiet > kPingAfter && SteadyClock::now() - pinged > kPingAfter) {
      pinged = SteadyClock::now();
      static_cast<void>(send(coordinator::PingCall{}));
    }
  }

  /// The body of the answer.
  [[nodiscard]] std::optional<std::string> answer_to(std::uint64_t call) {
    auto found = answers.extract(call);
    if (found.empty()) return std::nullopt;
    return std::move(found.mapped());
  }

  struct Answered {
    std::string answer;
    bool repeated = false;  // the call was made more than once
  };
  Result<Answered> call(const coordinator::ClientAsk& ask, bool may_be_repeated = true) {
    bool repeated = false;
    int losses = 0;
    while (true) {
      if (!linked()) {
        if (auto opened = open_again(); !opened) return fail(with_advice(std::move(opened).error(), options.address));
      }
      const auto number = send(ask);
      if (!number) return fail(number.error());
      while (linked()) {
        if (stopped()) return fail(Code::cancelled, "interrupted");
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

  /// Contents by hash. The session at the other end keeps them: a new connection needs them again.
  Result<void> bring(const std::map<std::string, std::string>& programs) {
    for (const auto& [hash, content] : programs) {
      const auto brought = call(coordinator::ProgramCall{hash, content});
      if (!brought) return fail(brought.error());
      if (auto taken = done_of(brought->answer); !taken) return taken;
    }
    return {};
  }

  /// Of an answer that says only that it is done.
  Result<void> done(const coordinator::ClientAsk& ask, Code meant_when_repeated) {
    const auto answered = call(ask);
    if (!answered) return fail(answered.error());
    auto read = done_of(answered->answer);
    // The first one arrived, it seems: what comes of it is seen by who goes on watching.
    if (!read && answered->repeated && read.error().code == meant_when_repeated) return {};
    return read;
  }

  ClusterOptions options;
  std::unique_ptr<link::Dialer> dialer;
  std::shared_ptr<Inbox> inbox = std::make_shared<Inbox>();
  std::unique_ptr<actors::Channel> channel;
  bool welcomed = false;
  std::optional<actors::TurnedAway> turned;
  SteadyClock::time_point heard;
  SteadyClock::time_point pinged;
  std::uint64_t last = 0;
  std::uint64_t links = 0;  // how many there have been
  std::set<std::uint64_t> asked;
  std::map<std::uint64_t, std::string> answers;
};

namespace {

/// Asking for a file may change something; all else that goes through here only looks.
bool may_be_repeated(const coordinator::ClientAsk& ask) {
  const auto* file = std::get_if<coordinator::FileStoreCall>(&ask);
  return file == nullptr || actors::may_be_repeated(file->ask.verb);
}

}  // namespace

ClusterClient::ClusterClient(std::unique_ptr<Parts> parts)
    : parts_{std::move(parts)}, files_{[this](actors::FileAsk ask) -> actors::FileReply {
        const auto answer = ask_coordinator(coordinator::FileStoreCall{std::move(ask)});
        if (!answer) return actors::failed_reply(answer.error());
        auto told = coordinator::read_answer_as<coordinator::FileTold>(*answer);
        return told ? std::move(told->reply) : actors::failed_reply(told.error());
      }} {}

Result<coordinator::Answer> ClusterClient::LineQuestions::answer_any(const coordinator::Question& question) {
  return std::visit(
      [this]<class Q>(const Q& ask) -> Result<coordinator::Answer> {
        const auto answer = client_.ask_coordinator(ask);
        if (!answer) return fail(answer.error());
        return coordinator::read_answer_as<typename Q::Answer>(*answer).map([](auto told) { return coordinator::Answer{std::move(told)}; });
      },
      question);
}

Result<std::string> ClusterClient::ask_coordinator(const coordinator::ClientAsk& ask) {
  return parts_->call(ask, may_be_repeated(ask)).map([](Parts::Answered answered) { return std::move(answered.answer); });
}

ClusterClient::~ClusterClient() = default;

Result<std::unique_ptr<ClusterClient>> ClusterClient::connect(ClusterOptions options) {
  const auto address = options.address;
  auto dialer = link::Dialer::open(Parts::dialer_options(options));
  if (!dialer) return fail(with_advice(std::move(dialer).error(), address));
  auto parts = std::make_unique<Parts>(std::move(options), std::move(*dialer));
  if (auto opened = parts->open_when_not_busy(); !opened) return fail(with_advice(std::move(opened).error(), address));
  return std::unique_ptr<ClusterClient>{new ClusterClient{std::move(parts)}};
}

const std::string& ClusterClient::address() const { return parts_->options.address; }

Result<Submitted> ClusterClient::submit(actors::Submission submission) {
  coordinator::SubmitCall submit;
  submit.chain = submission.chain;
  submit.manifest = submission.package->manifest;
  submit.arguments = submission.arguments.text;
  submit.context = submission.context.text;
  submit.directory = submission.directory;
  submit.durability = submission.durability;
  submit.priority = submission.priority;
  submit.labels = submission.labels;
  for (const auto& [hash, content] : submission.programs) submit.programs.push_back(hash);
  const bool once = !submission.key.empty();
  const coordinator::ClientAsk call = once
                                          ? coordinator::ClientAsk{coordinator::SubmitOnceCall{std::move(submit), submission.key, submission.id_made}}
                                          : coordinator::ClientAsk{std::move(submit)};
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
    if (!answer) {
      if (auto again = parts_->count_loss(losses); !again) return fail(std::move(again).error());
      repeated = true;
      if (auto opened = parts_->open_again(); !opened) return fail(with_advice(std::move(opened).error(), address()));
      continue;
    }
    if (once) {
      // That it was submitted before is no news where this submission was sent before.
      return coordinator::read_answer_as<coordinator::SubmissionTold>(*answer).map([&](coordinator::SubmissionTold told) {
        const bool again = told.again && !(repeated && told.chain == submission.chain);
        return Submitted{std::move(told.chain), again};
      });
    }
    auto read = done_of(*answer);
    if (read) return Submitted{submission.chain};
    if (!repeated || read.error().code != Code::chain_exists) return fail(std::move(read).error());
    const auto there = questions_.ask(coordinator::DescribeChain{.chain = submission.chain});
    if (!there) return fail(there.error());
    const bool same = there->package == submission.package->hash && there->definition == submission.definition;
    if (same && (!there->arguments.is_whole() || there->arguments.text == submission.arguments.text)) return Submitted{submission.chain};
    return fail(std::move(read).error());
  }
}

Result<void> ClusterClient::resume(const ChainId& chain) { return parts_->done(coordinator::ResumeCall{chain}, Code::chain_state); }

Result<void> ClusterClient::control(actors::Control control) {
  const auto call = coordinator::control_call(control);
  int losses = 0;
  while (true) {
    if (auto brought = parts_->bring(control.programs); !brought) return brought;
    const auto links = parts_->links;
    const auto told = parts_->done(call, Code::chain_state);
    // What was done before the link broke is not done again.
    if (!told && losses > 0 && told.error().code == Code::chain_state) return {};
    if (told || control.programs.empty() || parts_->links == links) return told;
    if (auto again = parts_->count_loss(losses); !again) return again;
  }
}

actors::ChainsRemoved removed_again(actors::ChainsRemoved removed) {
  std::erase_if(removed.refused, [&](const actors::Refused& refused) {
    const bool gone = refused.error.code == Code::chain_not_found;
    if (gone) removed.removed.push_back(refused.chain);
    return gone;
  });
  return removed;
}

Result<actors::ChainsRemoved> ClusterClient::remove(const std::vector<ChainId>& chains, UnixMillis ended_before) {
  actors::ChainsRemoved all;
  for (std::size_t from = 0; from < chains.size(); from += coordinator::kRemovedAtOnce) {
    const auto to = std::min(chains.size(), from + coordinator::kRemovedAtOnce);
    const auto at = [&](std::size_t index) { return chains.begin() + static_cast<std::ptrdiff_t>(index); };
    const auto answered = parts_->call(coordinator::RemoveCall{{at(from), at(to)}, ended_before});
    if (!answered) return fail(answered.error());
    auto told = coordinator::read_answer_as<coordinator::RemovalTold>(answered->answer);
    if (!told) return fail(std::move(told).error());
    actors::ChainsRemoved some{std::move(told->chains), {}};
    for (auto& refused : told->refused) some.refused.push_back({std::move(refused.chain), std::move(refused.error)});
    if (answered->repeated) some = removed_again(std::move(some));
    std::ranges::move(some.removed, std::back_inserter(all.removed));
    std::ranges::move(some.refused, std::back_inserter(all.refused));
  }
  return all;
}

Result<std::optional<actors::ChainEnded>> ClusterClient::wait(const ChainId& chain, std::chrono::milliseconds tick, const Watcher& watcher) {
  auto& parts = *parts_;
  std::optional<actors::Progress> progress;
  std::uint64_t await = 0;
  std::uint64_t of = 0;  // the link that it was asked on: a watcher that asks may have met a broken one
  std::uint64_t question = 0;
  SteadyClock::time_point asked_at;
  auto next_tick = SteadyClock::now() + tick;
  while (true) {
    if (!parts.linked()) {
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
      auto ended = coordinator::read_answer_as<coordinator::Ended>(*answer);
      if (!ended) return fail(std::move(ended).error());
      return std::optional{std::move(ended->chain)};
    }
    if (question != 0) {
      if (auto answer = parts.answer_to(question)) {
        question = 0;
        if (auto told = coordinator::read_answer_as<coordinator::ProgressTold>(*answer); told && told->progress)
          progress = std::move(*told->progress);
      }
    }
    if (SteadyClock::now() < next_tick) continue;
    next_tick = SteadyClock::now() + tick;
    if (parts.linked() && question == 0 && SteadyClock::now() - asked_at >= kProgressEvery) {
      question = parts.send(coordinator::ProgressCall{chain}).value_or(0);
      asked_at = SteadyClock::now();
    }
    if (!watcher(progress)) return std::nullopt;
  }
}

Result<actors::Nodes> ClusterClient::nodes() {
  const auto answered = parts_->call(coordinator::NodesCall{});
  if (!answered) return fail(answered.error());
  return coordinator::read_answer_as<coordinator::NodesTold>(answered->answer).map([](coordinator::NodesTold told) {
    return actors::Nodes{std::move(told.nodes)};
  });
}

Result<void> ClusterClient::control_node(const actors::NodeControl& control) {
  return parts_->done(coordinator::NodeControlCall{control.worker, control.what}, Code::internal);
}

Result<coordinator::TokenTold> ClusterClient::create_token(const actors::CreateToken& wish) {
  const auto answered = parts_->call(coordinator::CreateTokenCall{wish.name, wish.role, wish.lasts.count()});
  if (!answered) return fail(answered.error());
  return coordinator::read_answer_as<coordinator::TokenTold>(answered->answer);
}

Result<void> ClusterClient::revoke_token(const std::string& id) { return parts_->done(coordinator::RevokeTokenCall{id}, Code::internal); }

Result<std::vector<std::string>> ClusterClient::explain(const ChainId& chain) {
  const auto answered = parts_->call(coordinator::ExplainCall{chain});
  if (!answered) return fail(answered.error());
  return coordinator::read_answer_as<coordinator::WordsTold>(answered->answer).map([](coordinator::WordsTold told) { return std::move(told.words); });
}

}  // namespace catena::client
