#include "client/link_line.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <utility>

#include "actors/channel.hpp"
#include "actors/directions.hpp"
#include "base/overloads.hpp"
#include "client/inbox.hpp"
#include "link/dialer.hpp"

namespace catena::client {
namespace {

constexpr milliseconds kQuietMax{15'000};  // without a word of the coordinator the connection is taken for broken
constexpr milliseconds kPingAfter{5'000};
constexpr milliseconds kDialerGivesUp{2'000};              // the dialer gives up by itself, a little earlier: it knows more
constexpr std::uint64_t kPings = std::uint64_t{1} << 62U;  // numbers of calls from here on are pings

link::DialerOptions dialer_options(const ClusterOptions& options) {
  link::DialerOptions dialer;
  dialer.coordinator = options.address;
  dialer.role = "client";
  dialer.token = options.token;
  dialer.tls = options.tls;
  dialer.plain = options.insecure_link ? link::PlainLink::anywhere : link::PlainLink::loopback_only;
  dialer.connect_max = options.patience;
  return dialer;
}

class LinkLine final : public CallLine {
 public:
  explicit LinkLine(std::unique_ptr<link::Dialer> dialer) : dialer_{std::move(dialer)} {}
  ~LinkLine() override { drop_link(); }

  Result<void> open(SteadyClock::time_point until, const std::function<bool()>& stopped) override {
    drop_link();
    dialer_->dial([box = inbox_, dial = inbox_->begin_dial()](Result<link::LinePtr> line) { box->put_dialled(dial, std::move(line)); });
    std::optional<Result<link::LinePtr>> dialled;
    while (!dialled) {
      if (stopped()) return fail(Code::cancelled, "interrupted");
      if (SteadyClock::now() > until + kDialerGivesUp) return fail(Code::connection_failed, "nobody answered in time");
      dialled = inbox_->wait_dialled(kSlice);
    }
    if (!*dialled) return fail(std::move(*dialled).error());
    return greet(std::move(**dialled), until, stopped);
  }

  void drop() override { drop_link(); }
  [[nodiscard]] bool is_open() const override { return channel_ && welcomed_; }

  Result<void> send(std::uint64_t call, const coordinator::ClientAsk& ask) override {
    auto bytes = coordinator::encode_call(call, ask);
    if (!bytes) return fail(std::move(bytes).error());
    if (is_open()) {
      channel_->say_bytes(std::move(*bytes));
      channel_->flush();
    }
    return {};
  }

  std::vector<Told> receive(milliseconds span) override {
    pump(span);
    return std::exchange(told_, {});
  }

  void rest(milliseconds span) override { static_cast<void>(inbox_->wait_frames(span)); }

 private:
  void drop_link() {
    inbox_->listen_to(nullptr);
    channel_.reset();
    told_.clear();
  }

  Result<void> greet(link::LinePtr line, SteadyClock::time_point until, const std::function<bool()>& stopped) {
    inbox_->listen_to(line.get());
    const auto* const from = line.get();
    line->deliver_to({[box = inbox_, from](std::vector<link::Frame> frames) { box->put_frames(from, std::move(frames)); },
                      [box = inbox_, from](const std::string&) { box->put_over(from); }});
    channel_ = std::make_unique<actors::Channel>(std::move(line));
    welcomed_ = false;
    turned_.reset();
    actors::Greeting greeting;
    greeting.role = "client";
    greeting.name = "client";
    greeting.software = CATENA_VERSION;
    channel_->say(std::move(greeting));
    channel_->flush();
    while (channel_ && !welcomed_) {
      if (stopped()) return fail(Code::cancelled, "interrupted");
      if (SteadyClock::now() > until) return fail(Code::connection_failed, "the coordinator did not answer the greeting in time");
      pump(kSlice);
    }
    if (welcomed_) {
      heard_ = SteadyClock::now();
      return {};
    }
    if (!turned_) return fail(Code::connection_failed, "the coordinator ended the connection at the greeting");
    auto error = make_error(Code::connection_failed, "the coordinator turned this client away: " + turned_->words);
    error.details = Json{{"refused", "greeting"}};
    return fail(std::move(error));
  }

  void take(actors::NodeMessage& message) {
    std::visit(Overloads{
                   [this](const actors::Welcome&) { welcomed_ = true; },
                   [this](actors::TurnedAway& away) {
                     turned_ = std::move(away);
                     drop_link();
                   },
                   [this](actors::ClientAnswer& answer) {
                     told_.push_back({answer.id, std::move(answer.body)});
                   },
                   [](const codec::Unknown&) {},  // of a later version
                   []<class Said>(const Said&) requires actors::SaidByClient<Said> || actors::SaidByWorker<Said> ||
                       (actors::SaidToWorker<Said> && !actors::SaidToClient<Said>){},
               },
               message);
  }

  /// Takes what comes within `span`; returns early with the first message.
  void pump(milliseconds span) {
    auto come = inbox_->wait_frames(span);
    if (!channel_) return;
    if (!come.frames.empty()) {
      heard_ = SteadyClock::now();
      auto messages = channel_->decode(std::move(come.frames));
      if (!messages) return drop_link();
      for (auto& message : *messages) {
        take(message);
        if (!channel_) return;
      }
      channel_->flush();
    }
    if (come.over) return drop_link();
    if (!welcomed_) return;
    const auto quiet = SteadyClock::now() - heard_;
    if (quiet > kQuietMax) return drop_link();
    if (quiet > kPingAfter && SteadyClock::now() - pinged_ > kPingAfter) {
      pinged_ = SteadyClock::now();
      static_cast<void>(send(kPings + ++pings_, coordinator::PingCall{}));
    }
  }

  std::unique_ptr<link::Dialer> dialer_;
  std::shared_ptr<Inbox> inbox_ = std::make_shared<Inbox>();
  std::unique_ptr<actors::Channel> channel_;
  bool welcomed_ = false;
  std::optional<actors::TurnedAway> turned_;
  SteadyClock::time_point heard_;
  SteadyClock::time_point pinged_;
  std::uint64_t pings_ = 0;
  std::vector<Told> told_;
};

}  // namespace

Result<std::unique_ptr<CallLine>> make_link_line(const ClusterOptions& options) {
  auto dialer = link::Dialer::open(dialer_options(options));
  if (!dialer) return fail(std::move(dialer).error());
  return std::unique_ptr<CallLine>{std::make_unique<LinkLine>(std::move(*dialer))};
}

}  // namespace catena::client
