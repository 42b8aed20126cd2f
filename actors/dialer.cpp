#include "actors/dialer.hpp"

#include <dirent.h>
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <charconv>
#include <mutex>
#include <unordered_set>

#include "actors/link_address.hpp"
#include "actors/link_news.hpp"
#include "actors/link_stream.hpp"
#include "actors/link_thread.hpp"
#include "actors/lookup.hpp"
#include "actors/preamble.hpp"

namespace catena::actors {
namespace {

/// One is in use; others end, or begin.
constexpr std::size_t kCallsMax = 16;

struct Closed {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// Whether the other end of a loopback connection is a socket of this process: nobody else may use its certificate and token.
bool is_own(tcp::socket& accepted) {
  asio::error_code ec;
  const auto there = accepted.remote_endpoint(ec);
  if (ec) return false;
  const auto here = accepted.local_endpoint(ec);
  if (ec) return false;
  const std::unique_ptr<DIR, Closed> open{::opendir("/proc/self/fd")};
  if (!open) return false;
  while (const auto* entry = ::readdir(open.get())) {
    const std::string_view digits{entry->d_name};
    int descriptor = -1;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), descriptor).ec != std::errc{}) continue;
    tcp::endpoint local;
    tcp::endpoint remote;
    auto local_size = static_cast<::socklen_t>(local.capacity());
    auto remote_size = static_cast<::socklen_t>(remote.capacity());
    if (::getsockname(descriptor, local.data(), &local_size) != 0 || local_size > local.capacity()) continue;
    if (::getpeername(descriptor, remote.data(), &remote_size) != 0 || remote_size > remote.capacity()) continue;
    local.resize(local_size);
    remote.resize(remote_size);
    if (local == there && remote == here) return true;
  }
  return false;
}

tl::unexpected<Error> failed(std::string words) { return fail(Code::connection_failed, std::move(words)); }

}  // namespace

class Dialer::Impl {
 public:
  Impl(DialerOptions options, LinkAddress coordinator, std::unique_ptr<LinkThread> thread)
      : thread_{std::move(thread)},
        options_{std::move(options)},
        coordinator_{std::move(coordinator)},
        lookup_{thread_->io()},
        news_{thread_->io(), options_.log},
        acceptor_{thread_->io()},
        rest_{thread_->io()},
        token_{options_.token} {
    if (options_.tls) tls_.emplace(*options_.tls, TlsSide::client, options_.role, clock_);
  }
  ~Impl() {
    asio::post(thread_->io(), [this] { close_all(); });
    thread_->join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] Result<void> open();
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string pass() const;
  [[nodiscard]] std::optional<Error> last_error() const;
  void set_token(std::string token);

 private:
  struct Call : LinkPair {
    using LinkPair::LinkPair;
    std::string doing = "connecting";  // for the words, should it take too long
    std::string pass;
    int attempt = 0;  // at connecting: what a timer of an earlier one says is void
    bool waiting = true;
    bool expired = false;
  };
  using CallPtr = std::shared_ptr<Call>;

  [[nodiscard]] awaitable<void> accept_all();
  void receive(tcp::socket socket);
  [[nodiscard]] awaitable<void> serve(CallPtr call);
  [[nodiscard]] awaitable<Result<ReadAhead>> dial(CallPtr call);
  [[nodiscard]] awaitable<Result<void>> connect(CallPtr call);
  [[nodiscard]] awaitable<Result<void>> connect_to(CallPtr call, tcp::endpoint endpoint, Millis limit);
  [[nodiscard]] awaitable<Result<void>> secure(Call& call);
  [[nodiscard]] awaitable<Result<ReadAhead>> present(Call& call);
  [[nodiscard]] Result<void> may_go_plain(const tcp::endpoint& endpoint) const;
  void note(Error error);
  void leave(const CallPtr& call);
  void close_all();

  std::unique_ptr<LinkThread> thread_;
  const DialerOptions options_;
  const LinkAddress coordinator_;
  const SystemClock clock_;
  std::optional<TlsStore> tls_;
  Lookup lookup_;
  LimitedNews news_;
  tcp::acceptor acceptor_;
  asio::steady_timer rest_;
  std::uint16_t port_ = 0;
  std::unordered_set<CallPtr> calls_;

  mutable std::mutex mutex_;  // over what other threads ask for
  std::string token_;
  std::string pass_;
  std::optional<Error> last_error_;
};

Result<void> Dialer::Impl::may_go_plain(const tcp::endpoint& endpoint) const {
  const auto address = endpoint.address();
  const bool mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  const bool loopback = mapped ? asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback() : address.is_loopback();
  if (tls_ || options_.plain == PlainLink::anywhere || loopback) return {};
  return fail(Code::usage,
              fmt::format("{} is on a network, and without TLS everyone there could read the token and the chains: nothing was "
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
  const tcp::endpoint loopback{asio::ip::address_v4::loopback(), 0};
  ec = {};
  acceptor_.open(loopback.protocol(), ec);
  if (!ec) acceptor_.bind(loopback, ec);
  if (!ec) acceptor_.listen(static_cast<int>(kCallsMax), ec);
  if (ec) return failed(fmt::format("no loopback port is to be had: {}", ec.message()));
  port_ = acceptor_.local_endpoint(ec).port();
  asio::co_spawn(thread_->io(), accept_all(), asio::detached);
  return thread_->start("dialer");
}

std::string Dialer::Impl::pass() const {
  const std::lock_guard lock{mutex_};
  return pass_;
}

std::optional<Error> Dialer::Impl::last_error() const {
  const std::lock_guard lock{mutex_};
  return last_error_;
}

void Dialer::Impl::set_token(std::string token) {
  const std::lock_guard lock{mutex_};
  token_ = std::move(token);
}

void Dialer::Impl::note(Error error) {
  news_.say(LinkNews::warning, error.message);
  const std::lock_guard lock{mutex_};
  last_error_ = std::move(error);
}

// ---- who comes ----------------------------------------------------------------------------------------------------------

awaitable<void> Dialer::Impl::accept_all() {
  while (acceptor_.is_open()) {
    asio::error_code ec;
    auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, ec));
    if (!acceptor_.is_open()) co_return;
    if (!ec) {
      receive(std::move(socket));
      continue;
    }
    note(make_error(Code::connection_failed, fmt::format("the dialer rests, as it cannot accept: {}", ec.message())));
    rest_.expires_after(kAcceptRest);
    co_await rest_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
}

void Dialer::Impl::receive(tcp::socket socket) {
  if (!is_own(socket)) {
    note(make_error(Code::connection_failed, "another process called the loopback port of this one, and was turned away"));
    return;
  }
  if (calls_.size() >= kCallsMax) {
    note(make_error(Code::connection_failed, "too many connections are being dialled at once"));
    return;
  }
  CallPtr call;
  try {
    call = std::make_shared<Call>(thread_->io());
    call->near.socket() = std::move(socket);
    tune(call->near.socket(), Segment::loopback);
    calls_.insert(call);
    asio::co_spawn(thread_->io(), serve(call), asio::detached);
  } catch (const std::bad_alloc&) {
    if (call) leave(call);
  }
}

void Dialer::Impl::leave(const CallPtr& call) {
  call->timer.cancel();
  call->close();
  calls_.erase(call);
  const std::lock_guard lock{mutex_};
  if (!call->pass.empty() && pass_ == call->pass) pass_.clear();
}

void Dialer::Impl::close_all() {
  asio::error_code ignored;
  acceptor_.close(ignored);
  rest_.cancel();
  lookup_.close();
  news_.close();
  for (const auto& call : calls_) {
    call->timer.cancel();
    call->close();
  }
}

// ---- dialling -----------------------------------------------------------------------------------------------------------

awaitable<void> Dialer::Impl::serve(CallPtr call) {
  bool spliced = false;
  try {
    call->timer.expires_after(options_.connect_max);
    call->timer.async_wait([weak = std::weak_ptr<Call>{call}](const asio::error_code& ec) {
      const auto there = weak.lock();
      if (ec || !there || !there->waiting) return;
      there->expired = true;
      there->close();
    });
    auto dialled = co_await dial(call);
    if (call->expired) {
      dialled = failed(fmt::format("{} did not let us in within {} (it was still {})", to_string(coordinator_),
                                   catena::to_string(options_.connect_max), call->doing));
    }
    if (!acceptor_.is_open()) {
      // the dialer is closing: that is nobody's failure
    } else if (!dialled) {
      note(dialled.error());
    } else {
      call->waiting = false;
      call->timer.cancel();
      {
        const std::lock_guard lock{mutex_};
        pass_ = call->pass;
        last_error_.reset();
      }
      news_.say(LinkNews::info, fmt::format("{} lets us in", to_string(coordinator_)));
      splice(call, std::move(*dialled), options_.half_closed_max, [this, call] { leave(call); });
      spliced = true;
    }
  } catch (const std::exception&) {
    note(make_error(Code::connection_failed, "there is no memory for a connection"));
  }
  if (!spliced) leave(call);
}

awaitable<Result<ReadAhead>> Dialer::Impl::dial(CallPtr call) {
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
  if (call->closed) co_return failed(fmt::format("{} was not reached in time", to_string(coordinator_)));
  asio::error_code ec;
  auto& socket = call->far.socket();
  socket.close(ec);
  asio::steady_timer timer{thread_->io()};
  timer.expires_after(limit);
  timer.async_wait([weak = std::weak_ptr<Call>{call}, attempt = ++call->attempt](const asio::error_code& cancelled) {
    const auto there = weak.lock();
    if (!cancelled && there && there->attempt == attempt) there->far.close();
  });
  co_await socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, ec));
  ++call->attempt;
  if (ec == asio::error::operation_aborted) co_return failed(fmt::format("{} does not answer", to_string(coordinator_)));
  if (ec) co_return failed(fmt::format("{} is not to be reached: {}", to_string(coordinator_), ec.message()));
  tune(socket, Segment::network);
  co_return Result<void>{};
}

awaitable<Result<void>> Dialer::Impl::secure(Call& call) {
  call.doing = "speaking TLS";
  const auto context = tls_->current();
  if (!context) co_return fail(context.error());
  const auto secured = co_await call.far.secure(*context);
  if (!secured) co_return failed(fmt::format("no TLS with {}: {}", to_string(coordinator_), secured.error().message));
  const auto peer = call.far.peer();
  if (peer.role == "coordinator") co_return Result<void>{};
  co_return failed(
      fmt::format("{} is no coordinator: the certificate of '{}' has the role '{}'", to_string(coordinator_), peer.name, peer.role));
}

awaitable<Result<ReadAhead>> Dialer::Impl::present(Call& call) {
  call.doing = "waiting for its word";
  Preamble preamble{options_.role, {}, options_.node};
  {
    const std::lock_guard lock{mutex_};
    preamble.token = token_;
  }
  // Even when nothing can be said any more there may be something to hear: why TLS was ended.
  const auto words = to_line(preamble);
  static_cast<void>(co_await call.far.write(words));
  ReadAhead ahead;
  const auto line = co_await read_preamble_line(call.far, ahead.far);
  if (!line) {
    const auto* hint = tls_ ? "" : " (does it ask for TLS?)";
    co_return failed(fmt::format("{} does not let us in: {}{}", to_string(coordinator_), line.error().message, hint));
  }
  auto answer = parse_gate_answer(*line);
  if (!answer) co_return failed(fmt::format("{} does not answer as a coordinator's gate", to_string(coordinator_)));
  if (answer->pass.empty()) {
    auto refused = make_error(Code::connection_failed,
                              fmt::format("{} does not let us in ({}): {}", to_string(coordinator_), answer->reason, answer->words));
    refused.details = Json{{"refused", answer->reason}};
    co_return fail(std::move(refused));
  }
  call.pass = std::move(answer->pass);
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
std::uint16_t Dialer::port() const { return impl_->port(); }
std::string Dialer::pass() const { return impl_->pass(); }
std::optional<Error> Dialer::last_error() const { return impl_->last_error(); }
void Dialer::set_token(std::string token) { impl_->set_token(std::move(token)); }

}  // namespace catena::actors
