#include "link/dialer.hpp"

#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <mutex>
#include <utility>

#include "link/address.hpp"
#include "link/lookup.hpp"
#include "link/news.hpp"
#include "link/preamble.hpp"
#include "link/socket_line.hpp"
#include "link/thread.hpp"

namespace catena::link {
namespace {

tl::unexpected<Error> failed(std::string words) { return fail(Code::connection_failed, std::move(words)); }

}  // namespace

class Dialer::Impl {
 public:
  Impl(DialerOptions options, LinkAddress coordinator, std::shared_ptr<LinkThread> thread)
      : thread_{std::move(thread)},
        options_{std::move(options)},
        coordinator_{std::move(coordinator)},
        lookup_{thread_->io()},
        news_{thread_->io(), options_.log},
        token_{options_.token} {
    if (options_.tls) tls_.emplace(*options_.tls, TlsSide::client, options_.role, clock_);
  }
  ~Impl() {
    asio::post(thread_->io(), [this] {
      closing_ = true;
      end_call("the dialer is closing");
      lookup_.close();
      news_.close();
    });
    thread_->join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] Result<void> open();
  void dial(Dialled dialled);
  void hang_up();
  void set_token(std::string token);

 private:
  struct Call {
    explicit Call(const std::shared_ptr<LinkThread>& thread) : line{std::make_shared<LinkLine>(thread)}, timer{thread->io()} {}
    [[nodiscard]] LinkStream& stream() const { return line->stream(); }
    std::shared_ptr<LinkLine> line;
    asio::steady_timer timer;
    Dialled dialled;
    std::string doing = "connecting";  // for the words, should it take too long
    int attempt = 0;                   // at connecting: what a timer of an earlier one says is void
    bool expired = false;
    bool given_up = false;  // by this side
  };
  using CallPtr = std::shared_ptr<Call>;

  void begin_call(Dialled dialled);
  void end_call(const std::string& why);
  [[nodiscard]] awaitable<void> serve(CallPtr call);
  [[nodiscard]] awaitable<Result<std::string>> let_in(CallPtr call);
  [[nodiscard]] awaitable<Result<void>> connect(CallPtr call);
  [[nodiscard]] awaitable<Result<void>> connect_to(CallPtr call, tcp::endpoint endpoint, Millis limit);
  [[nodiscard]] awaitable<Result<void>> secure(Call& call);
  [[nodiscard]] awaitable<Result<std::string>> present(Call& call);
  [[nodiscard]] Result<void> may_go_plain(const tcp::endpoint& endpoint) const;

  std::shared_ptr<LinkThread> thread_;
  const DialerOptions options_;
  const LinkAddress coordinator_;
  const SystemClock clock_;
  std::optional<TlsStore> tls_;
  Lookup lookup_;
  LimitedNews news_;
  CallPtr call_;  // the last
  bool closing_ = false;

  std::mutex mutex_;
  std::string token_;
};

Result<void> Dialer::Impl::may_go_plain(const tcp::endpoint& endpoint) const {
  const auto address = endpoint.address();
  const bool mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  const bool loopback = mapped ? asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback() : address.is_loopback();
  if (tls_ || options_.plain == PlainLink::anywhere || loopback) return {};
  return fail(Code::usage, fmt::format("{} is on a network, and without TLS everyone there could read the token and the chains: nothing was "
                                       "sent; give the certificates that `catena cert issue` makes, or --insecure-link on a network of your own",
                                       to_string(coordinator_)));
}

Result<void> Dialer::Impl::open() {
  asio::error_code ec;
  const auto numeric = asio::ip::make_address(coordinator_.host, ec);
  if (!ec) {
    if (auto may = may_go_plain({numeric, coordinator_.port}); !may) return may;
  }
  if (!options_.token.empty() && !valid_token(options_.token)) return fail(Code::usage, "the join token has blanks, or is longer than any");
  if (tls_) {
    if (const auto usable = tls_->current(); !usable) return fail(usable.error());
  }
  return thread_->start("dialer", options_.elsewhere);
}

// ---- dialling -----------------------------------------------------------------------------------------------------------

void Dialer::Impl::dial(Dialled dialled) {
  asio::post(thread_->io(), [this, dialled = std::move(dialled)]() mutable { begin_call(std::move(dialled)); });
}

void Dialer::Impl::hang_up() {
  asio::post(thread_->io(), [this] { end_call("it was hung up here"); });
}

void Dialer::Impl::set_token(std::string token) {
  const std::lock_guard lock{mutex_};
  token_ = std::move(token);
}

void Dialer::Impl::begin_call(Dialled dialled) {
  end_call("another call takes its place");
  if (closing_) return dialled(failed("the call was given up"));
  call_ = std::make_shared<Call>(thread_);
  call_->dialled = std::move(dialled);
  asio::co_spawn(thread_->io(), serve(call_), asio::detached);
}

void Dialer::Impl::end_call(const std::string& why) {
  const auto call = std::exchange(call_, nullptr);
  if (!call) return;
  call->given_up = true;
  call->timer.cancel();
  call->line->close(why);
}

awaitable<void> Dialer::Impl::serve(CallPtr call) {
  std::optional<Error> error;
  std::string ahead;
  try {
    call->timer.expires_after(options_.connect_max);
    call->timer.async_wait([weak = std::weak_ptr<Call>{call}](const asio::error_code& ec) {
      const auto there = weak.lock();
      if (ec || !there) return;
      there->expired = true;
      there->line->close("it took too long");
    });
    auto dialled = co_await let_in(call);
    if (dialled) {
      ahead = std::move(*dialled);
    } else {
      error = std::move(dialled).error();
    }
  } catch (const std::exception&) {
    error = make_error(Code::connection_failed, "there is no memory for a connection");
  }
  call->timer.cancel();
  if (call->given_up) {
    error = make_error(Code::connection_failed, "the call was given up");
  } else if (call->expired) {
    error = make_error(Code::connection_failed, fmt::format("{} did not let us in within {} (it was still {})", to_string(coordinator_),
                                                            catena::to_string(options_.connect_max), call->doing));
  }
  const auto told = std::exchange(call->dialled, nullptr);
  if (error) {
    call->line->close("it was not let in");
    if (!call->given_up) news_.say(LinkNews::warning, error->message);
    told(fail(std::move(*error)));
    co_return;
  }
  news_.say(LinkNews::info, fmt::format("{} lets us in", to_string(coordinator_)));
  told(LinePtr{call->line});
  call->line->begin(std::move(ahead), [] {});
}

awaitable<Result<std::string>> Dialer::Impl::let_in(CallPtr call) {
  const auto connected = co_await connect(call);
  if (!connected) co_return fail(connected.error());
  if (tls_) {
    const auto secured = co_await secure(*call);
    if (!secured) co_return fail(secured.error());
  }
  co_return co_await present(*call);
}

awaitable<Result<void>> Dialer::Impl::connect(CallPtr call) {
  call->doing = "looking it up";
  const auto found = co_await lookup_.find(coordinator_, options_.connect_max);
  if (!found) co_return fail(found.error());
  // All are judged before one is dialled: a name that also means loopback must not send the token elsewhere next time.
  for (const auto& endpoint : *found) {
    auto may = may_go_plain(endpoint);
    if (!may) co_return may;
  }
  call->doing = "connecting";
  // An address that swallows everything leaves time for those behind it.
  const auto share = options_.connect_max / static_cast<Millis::rep>(found->size() + 1);
  auto tried = Result<void>{failed("it has no address")};
  for (const auto& endpoint : *found) {
    tried = co_await connect_to(call, endpoint, found->size() == 1 ? options_.connect_max : share);
    if (tried) break;
  }
  co_return tried;
}

awaitable<Result<void>> Dialer::Impl::connect_to(CallPtr call, tcp::endpoint endpoint, Millis limit) {
  if (call->line->closed()) co_return failed(fmt::format("{} was not reached in time", to_string(coordinator_)));
  asio::error_code ec;
  auto& socket = call->stream().socket();
  socket.close(ec);
  asio::steady_timer timer{thread_->io()};
  timer.expires_after(limit);
  timer.async_wait([weak = std::weak_ptr<Call>{call}, attempt = ++call->attempt](const asio::error_code& cancelled) {
    const auto there = weak.lock();
    if (!cancelled && there && there->attempt == attempt) there->stream().close();
  });
  co_await socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, ec));
  ++call->attempt;
  if (ec == asio::error::operation_aborted) co_return failed(fmt::format("{} does not answer", to_string(coordinator_)));
  if (ec) co_return failed(fmt::format("{} is not to be reached: {}", to_string(coordinator_), ec.message()));
  tune(socket);
  co_return Result<void>{};
}

awaitable<Result<void>> Dialer::Impl::secure(Call& call) {
  call.doing = "speaking TLS";
  const auto context = tls_->current();
  if (!context) co_return fail(context.error());
  const auto secured = co_await call.stream().secure(*context);
  if (!secured) {
    auto error = make_error(Code::connection_failed, fmt::format("no TLS with {}: {}", to_string(coordinator_), secured.error().message));
    error.details = secured.error().details;
    if (call.stream().certificate_refused()) error.details["refused"] = "certificate";
    co_return fail(std::move(error));
  }
  const auto peer = call.stream().peer();
  if (peer.role == "coordinator") co_return Result<void>{};
  auto error = make_error(Code::connection_failed, fmt::format("{} is no coordinator: the certificate of '{}' has the role '{}'",
                                                               to_string(coordinator_), peer.name, peer.role));
  error.details["refused"] = "role";
  co_return fail(std::move(error));
}

awaitable<Result<std::string>> Dialer::Impl::present(Call& call) {
  call.doing = "waiting for its word";
  Preamble preamble{options_.role, {}};
  {
    const std::lock_guard lock{mutex_};
    preamble.token = token_;
  }
  // Even when nothing can be said any more there may be something to hear: why TLS was ended.
  const auto words = to_line(preamble);
  static_cast<void>(co_await call.stream().write(words));
  std::string ahead;
  const auto line = co_await read_preamble_line(call.stream(), ahead);
  if (!line) {
    const auto* hint = tls_ ? "" : " (does it ask for TLS?)";
    auto error = make_error(Code::connection_failed, fmt::format("{} does not let us in: {}{}", to_string(coordinator_), line.error().message, hint));
    // TLS 1.3 is through at this end before the other one has looked at our certificate: its word on that comes here
    if (call.stream().certificate_refused()) error.details["refused"] = "certificate";
    co_return fail(std::move(error));
  }
  auto answer = parse_gate_answer(*line);
  if (!answer) co_return failed(fmt::format("{} does not answer as a coordinator's gate", to_string(coordinator_)));
  if (!answer->reason.empty()) {
    auto refused =
        make_error(Code::connection_failed, fmt::format("{} does not let us in ({}): {}", to_string(coordinator_), answer->reason, answer->words));
    refused.details = Json{{"refused", answer->reason}};
    co_return fail(std::move(refused));
  }
  co_return ahead;
}

// ---- from outside -------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<Dialer>> Dialer::open(DialerOptions options) {
  auto coordinator = parse_link_address(options.coordinator);
  if (!coordinator) return fail(coordinator.error());
  if (coordinator->port == 0) return fail(Code::usage, fmt::format("'{}' has no port that could be dialled", options.coordinator));
  auto thread = LinkThread::make();
  if (!thread) return fail(thread.error());
  auto impl = std::make_unique<Impl>(std::move(options), std::move(*coordinator), std::move(*thread));
  if (auto opened = impl->open(); !opened) return fail(opened.error());
  return std::unique_ptr<Dialer>{new Dialer{std::move(impl)}};
}

Dialer::Dialer(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Dialer::~Dialer() = default;
void Dialer::dial(Dialled dialled) { impl_->dial(std::move(dialled)); }
void Dialer::hang_up() { impl_->hang_up(); }
void Dialer::set_token(std::string token) { impl_->set_token(std::move(token)); }

}  // namespace catena::link
