#include "link/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/network_v6.hpp>
#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "link/address.hpp"
#include "link/news.hpp"
#include "link/preamble.hpp"
#include "link/secrets.hpp"
#include "link/socket_line.hpp"
#include "link/thread.hpp"

namespace catena::link {
namespace {

/// How long one that was refused may take to read why.
constexpr Millis kParting{1'000};
/// Addresses from which somebody was admitted, the last ones.
constexpr std::size_t kNeighboursKnownMax = 4096;

asio::ip::address plain_address(const asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

std::string shown(const tcp::endpoint& endpoint) { return to_string(LinkAddress{plain_address(endpoint.address()).to_string(), endpoint.port()}); }

/// One host has a whole IPv6 network of 64 bits.
std::string neighbour_of(const tcp::endpoint& endpoint) {
  const auto address = plain_address(endpoint.address());
  if (address.is_v4()) return address.to_string();
  return asio::ip::make_network_v6(address.to_v6(), 64).canonical().to_string();
}

Result<tcp::endpoint> endpoint_of(asio::io_context& io, const LinkAddress& address) {
  asio::error_code ec;
  const auto numeric = asio::ip::make_address(address.host, ec);
  if (!ec) return tcp::endpoint{numeric, address.port};
  tcp::resolver resolver{io};
  const auto found = resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, ec);
  if (ec || found.empty()) return fail(Code::connection_failed, fmt::format("'{}' has no address here: {}", address.host, ec.message()));
  return found.begin()->endpoint();
}

}  // namespace

class GateServer::Impl {
 public:
  Impl(GateOptions options, std::shared_ptr<LinkThread> thread)
      : thread_{std::move(thread)},
        options_{std::move(options)},
        news_{thread_->io(), options_.log},
        acceptor_{thread_->io()},
        rest_{thread_->io()},
        token_{options_.token} {
    if (options_.tls) tls_.emplace(*options_.tls, TlsSide::server, "coordinator", clock_);
  }
  ~Impl() {
    asio::post(thread_->io(), [this] { close_all(); });
    thread_->join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] Result<void> open();
  [[nodiscard]] std::uint16_t port() const { return port_; }
  void set_token(std::string token);
  [[nodiscard]] GateCounters counters() const;

 private:
  struct Refused {
    Refusal reason;
    std::string words;
  };
  /// One that was accepted, until it has ended.
  struct Guest {
    explicit Guest(const std::shared_ptr<LinkThread>& thread)
        : line{std::make_shared<LinkLine>(thread)}, opening_due{thread->io()}, admission_due{thread->io()} {}
    [[nodiscard]] LinkStream& stream() const { return line->stream(); }
    void close(const std::string& why) {
      opening_due.cancel();
      admission_due.cancel();
      line->close(why);
    }
    std::shared_ptr<LinkLine> line;
    asio::steady_timer opening_due;
    asio::steady_timer admission_due;
    std::uint64_t number = 0;  // in the order in which they came
    std::string address;       // host:port
    std::string neighbour;     // what limits count together
    std::string role;
    std::string subject;
    bool waiting = true;           // not yet admitted
    std::optional<Refused> ended;  // by the gate, before it was admitted
  };
  using GuestPtr = std::shared_ptr<Guest>;

  struct Crowd {
    std::uint32_t all = 0;
    std::uint32_t waiting = 0;
  };

  /// In coroutines: g++ 12 destroys aggregates that are made within a co_return or co_await twice.
  [[nodiscard]] static std::optional<Refused> refuse(Refusal reason, std::string words) { return Refused{reason, std::move(words)}; }
  [[nodiscard]] static std::string line_of(const Refused& refused) { return to_line(GateAnswer{std::string{name(refused.reason)}, refused.words}); }

  [[nodiscard]] awaitable<void> accept_all();
  void receive(tcp::socket socket, const tcp::endpoint& from);
  void turn_away(Guest& guest);
  [[nodiscard]] bool make_room(const Guest& guest);
  [[nodiscard]] GuestPtr longest_unheard(const std::string* neighbour) const;
  [[nodiscard]] GuestPtr longest_strange() const;
  void end_waiting(const GuestPtr& guest, Refusal reason, std::string words);
  [[nodiscard]] awaitable<void> serve(GuestPtr guest);
  void welcome(const GuestPtr& guest, std::string ahead);
  static void expire_parting(Guest& guest);
  [[nodiscard]] awaitable<std::optional<Refused>> admit(Guest& guest, std::string& ahead);
  [[nodiscard]] awaitable<std::optional<Refused>> secure(Guest& guest);
  [[nodiscard]] std::optional<Refused> refusal_of(Guest& guest, std::string_view line) const;
  [[nodiscard]] awaitable<void> dismiss(Guest& guest, const Refused& refused);
  void count_refusal(const Guest& guest, const Refused& refused);
  void watch_admission(const GuestPtr& guest);
  void enter(const GuestPtr& guest);
  void remember(const std::string& neighbour);
  void settle(Guest& guest);
  void leave(const GuestPtr& guest);
  void close_all();

  std::shared_ptr<LinkThread> thread_;
  const GateOptions options_;
  const SystemClock clock_;
  std::optional<TlsStore> tls_;
  LimitedNews news_;
  tcp::acceptor acceptor_;
  asio::steady_timer rest_;
  std::uint16_t port_ = 0;
  std::unordered_set<GuestPtr> guests_;
  std::map<std::uint64_t, GuestPtr> waiting_;  // those not yet admitted, by number
  std::uint64_t last_number_ = 0;
  std::unordered_map<std::string, Crowd> crowds_;
  std::unordered_set<std::string> known_;  // neighbours from which somebody was admitted
  std::deque<std::string> known_in_order_;

  mutable std::mutex mutex_;  // over what other threads ask for
  std::string token_;
  GateCounters counters_;
};

Result<void> GateServer::Impl::open() {
  const auto address = parse_link_address(options_.listen);
  if (!address) return fail(address.error());
  const auto endpoint = endpoint_of(thread_->io(), *address);
  if (!endpoint) return fail(endpoint.error());
  if (!options_.token.empty() && !valid_token(options_.token)) return fail(Code::usage, "the join token has blanks, or is longer than any");
  if (!options_.tls && options_.plain == PlainLink::loopback_only && !plain_address(endpoint->address()).is_loopback()) {
    return fail(Code::usage, fmt::format("listening on {} without TLS would let everyone on that network read the token and the chains; give "
                                         "the certificates that `catena cert init` makes, or --insecure-link on a network of your own",
                                         shown(*endpoint)));
  }
  if (tls_) {
    if (const auto usable = tls_->current(); !usable) return fail(usable.error());
  }
  asio::error_code ec;
  acceptor_.open(endpoint->protocol(), ec);
  if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address{true}, ec);
  if (!ec) acceptor_.bind(*endpoint, ec);
  if (!ec) acceptor_.listen(tcp::acceptor::max_listen_connections, ec);
  if (ec) return fail(Code::connection_failed, fmt::format("cannot listen on {}: {}", shown(*endpoint), ec.message()));
  port_ = acceptor_.local_endpoint(ec).port();
  asio::co_spawn(thread_->io(), accept_all(), asio::detached);
  return thread_->start("gate", options_.elsewhere);
}

void GateServer::Impl::set_token(std::string token) {
  const std::lock_guard lock{mutex_};
  token_ = std::move(token);
}

GateCounters GateServer::Impl::counters() const {
  const std::lock_guard lock{mutex_};
  return counters_;
}

// ---- who comes ----------------------------------------------------------------------------------------------------------

awaitable<void> GateServer::Impl::accept_all() {
  while (acceptor_.is_open()) {
    asio::error_code ec;
    tcp::endpoint from;
    auto socket = co_await acceptor_.async_accept(from, asio::redirect_error(asio::use_awaitable, ec));
    if (!acceptor_.is_open()) co_return;
    if (!ec) {
      receive(std::move(socket), from);
      continue;
    }
    // Asking again at once would spin for as long as there are no descriptors.
    news_.say(LinkNews::warning, fmt::format("the gate rests, as it cannot accept: {}", ec.message()));
    rest_.expires_after(kAcceptRest);
    co_await rest_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  }
}

/// Of those from one address, or of all: whoever has waited longest without saying what is due first makes room.
auto GateServer::Impl::longest_unheard(const std::string* neighbour) const -> GuestPtr {
  const auto found = std::ranges::find_if(waiting_, [&](const auto& entry) {
    const auto& guest = entry.second;
    return guest->stream().opening() != Opening::complete && (neighbour == nullptr || guest->neighbour == *neighbour);
  });
  return found == waiting_.end() ? nullptr : found->second;
}

auto GateServer::Impl::longest_strange() const -> GuestPtr {
  const auto found = std::ranges::find_if(waiting_, [&](const auto& entry) { return !known_.contains(entry.second->neighbour); });
  return found == waiting_.end() ? nullptr : found->second;
}

bool GateServer::Impl::make_room(const Guest& guest) {
  const auto& limits = options_.limits;
  const auto crowd = crowds_.find(guest.neighbour);
  const auto beside = crowd == crowds_.end() ? Crowd{} : crowd->second;
  // Shares of an address hold for strangers.
  if (beside.all >= limits.connections_per_address_max) return false;
  const bool share_used = !known_.contains(guest.neighbour) && beside.waiting >= limits.waiting_per_address_max;
  const bool full = guests_.size() >= limits.connections_max || waiting_.size() >= limits.waiting_max;
  if (!share_used && !full) return true;
  auto goes = longest_unheard(share_used ? &guest.neighbour : nullptr);
  if (!goes && !share_used) goes = longest_strange();
  if (!goes) return false;
  end_waiting(goes, Refusal::busy, "it had not said who it is when others came");
  return true;
}

void GateServer::Impl::end_waiting(const GuestPtr& guest, Refusal reason, std::string words) {
  guest->ended = refuse(reason, std::move(words));
  guest->close("it was not admitted");
  leave(guest);  // it counts no more; what serves it sees that it is closed
}

void GateServer::Impl::receive(tcp::socket socket, const tcp::endpoint& from) {
  GuestPtr guest;
  try {
    guest = std::make_shared<Guest>(thread_);
    guest->stream().socket() = std::move(socket);
    guest->address = shown(from);
    guest->neighbour = neighbour_of(from);
    {
      const std::lock_guard lock{mutex_};
      ++counters_.accepted;
    }
    if (!make_room(*guest)) return turn_away(*guest);
    tune(guest->stream().socket());
    enter(guest);
    asio::co_spawn(thread_->io(), serve(guest), asio::detached);
  } catch (const std::bad_alloc&) {
    if (guest) leave(guest);
  }
}

/// Costs as little as can be: what is said is said as far as it goes without waiting, and nothing through TLS.
void GateServer::Impl::turn_away(Guest& guest) {
  const Refused refused{Refusal::busy, "there are too many connections"};
  count_refusal(guest, refused);
  if (tls_) return;
  asio::error_code ignored;
  auto& socket = guest.stream().socket();
  socket.non_blocking(true, ignored);
  static_cast<void>(socket.send(asio::buffer(line_of(refused)), 0, ignored));
}

void GateServer::Impl::enter(const GuestPtr& guest) {
  guest->number = ++last_number_;
  guests_.insert(guest);
  waiting_.emplace(guest->number, guest);
  auto& crowd = crowds_[guest->neighbour];
  ++crowd.all;
  ++crowd.waiting;
  const std::lock_guard lock{mutex_};
  ++counters_.open;
  ++counters_.waiting;
}

/// It waits no longer: it was admitted, or is gone.
void GateServer::Impl::settle(Guest& guest) {
  if (!std::exchange(guest.waiting, false)) return;
  waiting_.erase(guest.number);
  --crowds_[guest.neighbour].waiting;
  const std::lock_guard lock{mutex_};
  --counters_.waiting;
}

void GateServer::Impl::leave(const GuestPtr& guest) {
  guest->close("the gate ends it");
  if (guests_.erase(guest) == 0) return;
  settle(*guest);
  if (--crowds_[guest->neighbour].all == 0) crowds_.erase(guest->neighbour);
  const std::lock_guard lock{mutex_};
  --counters_.open;
}

void GateServer::Impl::remember(const std::string& neighbour) {
  if (!known_.insert(neighbour).second) return;
  known_in_order_.push_back(neighbour);
  if (known_in_order_.size() <= kNeighboursKnownMax) return;
  known_.erase(known_in_order_.front());
  known_in_order_.pop_front();
}

void GateServer::Impl::close_all() {
  asio::error_code ignored;
  acceptor_.close(ignored);
  rest_.cancel();
  news_.close();
  for (const auto& guest : std::vector<GuestPtr>{guests_.begin(), guests_.end()}) leave(guest);
}

// ---- who comes in ---------------------------------------------------------------------------------------------------------

void GateServer::Impl::watch_admission(const GuestPtr& guest) {
  const auto& limits = options_.limits;
  guest->opening_due.expires_after(limits.first_byte_max);
  guest->opening_due.async_wait([this, weak = std::weak_ptr<Guest>{guest}](const asio::error_code& ec) {
    const auto there = weak.lock();
    if (ec || !there || !there->waiting || there->stream().opening() != Opening::silent) return;
    end_waiting(there, Refusal::silent, fmt::format("it said nothing within {}", catena::to_string(options_.limits.first_byte_max)));
  });
  guest->admission_due.expires_after(limits.admission_max);
  guest->admission_due.async_wait([this, weak = std::weak_ptr<Guest>{guest}](const asio::error_code& ec) {
    const auto there = weak.lock();
    if (ec || !there || !there->waiting) return;
    end_waiting(there, Refusal::silent, fmt::format("it was not admitted within {}", catena::to_string(options_.limits.admission_max)));
  });
}

awaitable<void> GateServer::Impl::serve(GuestPtr guest) {
  // Whatever happens, it is not forgotten that it has left.
  bool stays = false;
  try {
    watch_admission(guest);
    std::string ahead;
    auto refused = co_await admit(*guest, ahead);
    if (guest->ended) refused = guest->ended;
    if (!acceptor_.is_open()) {
      // the gate is closing: nobody is refused
    } else if (refused) {
      count_refusal(*guest, *refused);
      expire_parting(*guest);
      if (!guest->ended) co_await dismiss(*guest, *refused);
    } else {
      welcome(guest, std::move(ahead));
      stays = true;
    }
  } catch (const std::exception&) {
    // no memory for this one
  }
  if (!stays) leave(guest);
}

void GateServer::Impl::expire_parting(Guest& guest) {
  guest.admission_due.expires_after(kParting);
  guest.admission_due.async_wait([weak = std::weak_ptr<LinkLine>{guest.line}](const asio::error_code& ec) {
    const auto line = weak.lock();
    if (!ec && line) line->close("it was refused");
  });
}

void GateServer::Impl::welcome(const GuestPtr& guest, std::string ahead) {
  guest->opening_due.cancel();
  guest->admission_due.cancel();
  settle(*guest);
  remember(guest->neighbour);
  {
    const std::lock_guard lock{mutex_};
    ++counters_.admitted;
  }
  news_.say(LinkNews::info,
            fmt::format("{} is let in as {}{}", guest->address, guest->role, guest->subject.empty() ? "" : " '" + guest->subject + "'"));
  options_.admitted(guest->line, Peer{guest->address, guest->role, guest->subject});
  guest->line->begin(std::move(ahead), [this, guest] { leave(guest); });
}

auto GateServer::Impl::admit(Guest& guest, std::string& ahead) -> awaitable<std::optional<Refused>> {
  if (tls_) {
    auto refused = co_await secure(guest);
    if (refused) co_return refused;
  }
  const auto line = co_await read_preamble_line(guest.stream(), ahead);
  if (!line) {
    if (guest.stream().certificate_refused()) co_return refuse(Refusal::certificate, line.error().message);
    co_return refuse(line.error().code == Code::field_value ? Refusal::preamble : Refusal::gone, line.error().message);
  }
  auto refused = refusal_of(guest, *line);
  if (refused) co_return refused;
  const auto words = to_line(GateAnswer{});
  const auto told = co_await guest.stream().write(words);
  if (!told) co_return refuse(Refusal::gone, told.error().message);
  co_return std::nullopt;
}

auto GateServer::Impl::secure(Guest& guest) -> awaitable<std::optional<Refused>> {
  const auto context = tls_->current();
  if (!context) co_return refuse(Refusal::files, context.error().message);
  const auto secured = co_await guest.stream().secure(*context);
  if (secured) co_return std::nullopt;
  co_return refuse(guest.stream().certificate_refused() ? Refusal::certificate : Refusal::tls, secured.error().message);
}

auto GateServer::Impl::refusal_of(Guest& guest, std::string_view line) const -> std::optional<Refused> {
  const auto parsed = parse_preamble(line);
  if (const auto* reason = std::get_if<Refusal>(&parsed)) {
    if (*reason == Refusal::version) return Refused{*reason, "this gate speaks catena/2: update the older of the two"};
    return Refused{*reason, "what it says is no preamble of catena"};
  }
  const auto& preamble = std::get<Preamble>(parsed);
  {
    const std::lock_guard lock{mutex_};
    if (!token_.empty() && !same_secret(preamble.token, token_)) {
      return Refused{Refusal::token, preamble.token.empty() ? "this cluster asks for its join token" : "that is not this cluster's join token"};
    }
  }
  if (preamble.role != "worker" && preamble.role != "client") return Refused{Refusal::role, "who comes in is a worker or a client"};
  guest.role = preamble.role;
  if (!tls_) return std::nullopt;
  auto peer = guest.stream().peer();
  if (peer.name.empty()) return Refused{Refusal::certificate, "its certificate says no name (CN)"};
  if (peer.role != preamble.role) {
    return Refused{Refusal::role,
                   fmt::format("the certificate of '{}' has the role '{}' and does not admit a {}", peer.name, peer.role, preamble.role)};
  }
  guest.subject = std::move(peer.name);
  return std::nullopt;
}

// ---- who does not ---------------------------------------------------------------------------------------------------------

void GateServer::Impl::count_refusal(const Guest& guest, const Refused& refused) {
  {
    const std::lock_guard lock{mutex_};
    ++counters_.refused[std::string{name(refused.reason)}];
  }
  news_.say(LinkNews::warning, fmt::format("{} is refused ({}): {}", guest.address, name(refused.reason), refused.words));
}

awaitable<void> GateServer::Impl::dismiss(Guest& guest, const Refused& refused) {
  switch (refused.reason) {
    case Refusal::gone: co_return;
    case Refusal::tls:
    case Refusal::certificate: break;  // TLS has said it
    case Refusal::files:
      // No word is secure here, so none is said: how this node's files are is for its log alone.
      co_return;
    default: {
      const auto words = line_of(refused);
      const auto told = co_await guest.stream().write(words);
      if (!told) co_return;
    }
  }
  co_await guest.stream().part();
}

// ---- from outside ---------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<GateServer>> GateServer::open(GateOptions options) {
  auto thread = LinkThread::make();
  if (!thread) return fail(thread.error());
  auto impl = std::make_unique<Impl>(std::move(options), std::move(*thread));
  if (auto opened = impl->open(); !opened) return fail(opened.error());
  return std::unique_ptr<GateServer>{new GateServer{std::move(impl)}};
}

GateServer::GateServer(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
GateServer::~GateServer() = default;
std::uint16_t GateServer::port() const { return impl_->port(); }
void GateServer::set_token(std::string token) { impl_->set_token(std::move(token)); }
GateCounters GateServer::counters() const { return impl_->counters(); }

}  // namespace catena::link
