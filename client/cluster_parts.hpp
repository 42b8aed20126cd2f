#pragma once
// What a ClusterClient is made of: the link to the coordinator, and calls over it. Internal to client/.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "actors/channel.hpp"
#include "actors/directions.hpp"
#include "base/overloads.hpp"
#include "client/cluster_client.hpp"
#include "client/connection_advice.hpp"
#include "client/inbox.hpp"
#include "link/dialer.hpp"

namespace catena::client {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

inline constexpr milliseconds kSlice{50};         // how long nobody asks whether to go on
inline constexpr milliseconds kQuietMax{15'000};  // without a word of the coordinator the connection is taken for broken
inline constexpr milliseconds kPingAfter{5'000};
inline constexpr milliseconds kPauseLeast{200};
inline constexpr milliseconds kPauseMost{2'000};
inline constexpr milliseconds kProgressEvery{250};
inline constexpr int kLossesMax = 3;  // of links with the same call open

/// Of an answer that says only that it is done.
inline Result<void> done_of(std::string_view answer) {
  return coordinator::read_answer_as<coordinator::Done>(answer).map([](const coordinator::Done&) {});
}

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

  /// The version of this program.
  [[nodiscard]] static std::string software();
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
    greeting.software = software();
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

}  // namespace catena::client
