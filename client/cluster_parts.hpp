#pragma once
// What a ClusterClient is made of: the line to the coordinator, and calls over it. Internal to client/.
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

#include "client/call_line.hpp"
#include "client/cluster_client.hpp"
#include "client/connection_advice.hpp"

namespace catena::client {

inline constexpr milliseconds kPauseLeast{200};
inline constexpr milliseconds kPauseMost{2'000};
inline constexpr milliseconds kProgressEvery{250};
inline constexpr int kLossesMax = 3;  // of lines with the same call open

/// Of an answer that says only that it is done.
inline Result<void> done_of(std::string_view answer) {
  return coordinator::read_answer_as<coordinator::Done>(answer).map([](const coordinator::Done&) {});
}

struct ClusterClient::Parts {
  Parts(ClusterOptions chosen, std::unique_ptr<CallLine> to_coordinator) : options{std::move(chosen)}, line{std::move(to_coordinator)} {}

  [[nodiscard]] bool stopped() const { return options.stop && options.stop(); }

  // ---- the connection
  [[nodiscard]] bool linked() const { return line->is_open(); }

  /// One try.
  Result<void> open() {
    line->drop();
    answers.clear();
    asked.clear();
    auto opened = line->open(SteadyClock::now() + milliseconds{options.patience.count()}, [this] { return stopped(); });
    if (opened) ++links;
    return opened;
  }

  /// The first one. Who is turned away because too many come at once tries again for as long as patience lasts.
  Result<void> open_first() {
    const auto began = SteadyClock::now();
    auto pause = kPauseLeast;
    bool said = false;
    while (true) {
      auto opened = open();
      const bool busy = !opened && is_busy(opened.error());
      const bool absent = !opened && is_absence(opened.error());
      const auto span = busy ? std::max(options.patience, options.await) : absent ? options.await : Millis{0};
      if (opened && said && options.say) options.say(fmt::format("connected to {}", options.address));
      if (opened || SteadyClock::now() + pause > began + span) return opened;
      if (absent && !std::exchange(said, true) && options.say)
        options.say(fmt::format("nothing answers at {}; trying again for {}", options.address, to_string(options.await)));
      if (!rest(pause)) return fail(Code::cancelled, "interrupted");
      pause = busy ? kPauseLeast : std::min(2 * pause, kPauseMost);
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
      const auto code = opened.error().code;
      const bool settled = code == Code::cancelled || code == Code::token_refused || code == Code::role_refused;
      if (settled || SteadyClock::now() + pause > until) return opened;
      if (!rest(pause)) return fail(Code::cancelled, "interrupted");
      pause = std::min(2 * pause, kPauseMost);
    }
  }

  /// False: it was told to stop meanwhile.
  [[nodiscard]] bool rest(milliseconds span) {
    const auto until = SteadyClock::now() + span;
    while (SteadyClock::now() < until) {
      if (stopped()) return false;
      line->rest(std::min(kSlice, std::chrono::ceil<milliseconds>(until - SteadyClock::now())));
    }
    return true;
  }

  // ---- messages
  /// The call's number. Without a link: one that is never answered.
  Result<std::uint64_t> send(const coordinator::ClientAsk& ask) {
    if (auto sent = line->send(++last, ask); !sent) return fail(std::move(sent).error());
    asked.insert(last);
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

  /// Takes what comes within `span`; returns early with the first answers.
  void pump(milliseconds span) {
    for (auto& told : line->receive(span)) {
      if (asked.erase(told.call) != 0) answers.emplace(told.call, std::move(told.answer));  // else nobody waits for it any more
    }
    if (!linked()) asked.clear();
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
  std::unique_ptr<CallLine> line;
  std::uint64_t last = 0;
  std::uint64_t links = 0;  // how many there have been
  std::set<std::uint64_t> asked;
  std::map<std::uint64_t, std::string> answers;
};

}  // namespace catena::client
