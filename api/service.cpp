#include "api/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "api/gzip.hpp"
#include "api/routes.hpp"

namespace catena::api {
namespace {

/// Names of this server: those that only this machine's own clients use, the address that it listens on, and what the configuration adds. A server
/// that listens on all addresses cannot know by which it is called.
Guard guard_of(const ServiceOptions& options) {
  Guard guard;
  const auto host = options.listen.substr(0, options.listen.rfind(':'));
  if ((host == "0.0.0.0" || host == "[::]") && options.hosts.empty()) return guard;
  guard.hosts = {"localhost", "127.0.0.1", "[::1]", host};
  guard.hosts.insert(options.hosts.begin(), options.hosts.end());
  return guard;
}

/// Whose limits a request counts for: those of its token, of its certificate, or else of its address.
std::string caller_name(const Request& request, const storage::Asker* by) {
  if (by == nullptr || by->id.empty()) return "address " + request.address;
  return by->id + ' ' + by->name;
}

Problem too_many(const CallerLimits::Admission& refused) {
  constexpr int kTooMany = 429;
  Problem problem{
      make_error(Code::overloaded, fmt::format("this caller asks for more than it may (GET /v1/limits); ask again in {} s", refused.retry_after_s))};
  problem.status = kTooMany;
  problem.headers = limit_headers(refused.use);
  problem.headers.emplace_back("Retry-After", std::to_string(refused.retry_after_s));
  return problem;
}

/// A stream whose place is given back when it ends.
class SeatedOutlet final : public Outlet {
 public:
  SeatedOutlet(std::shared_ptr<Outlet> outlet, std::shared_ptr<CallerLimits::Seat> seat) : outlet_{std::move(outlet)}, seat_{std::move(seat)} {}
  void write(std::string piece, std::function<void(bool)> written) override { outlet_->write(std::move(piece), std::move(written)); }
  void end(std::string last) override {
    seat_->give_back();
    outlet_->end(std::move(last));
  }

 private:
  std::shared_ptr<Outlet> outlet_;
  std::shared_ptr<CallerLimits::Seat> seat_;
};

/// The request has its place until it is answered. A client that has its answer may have the place at once.
void keep_seat(const CallerLimits::Admission& admission, Reply& reply, Begin& begin) {
  const auto headers = limit_headers(admission.use);
  const auto seat = admission.seat;
  reply = [reply = std::move(reply), headers, seat](Answer answer) {
    answer.headers.insert(answer.headers.end(), headers.begin(), headers.end());
    seat->give_back();
    reply(std::move(answer));
  };
  begin = [begin = std::move(begin), headers, seat](Answer head) -> std::shared_ptr<Outlet> {
    head.headers.insert(head.headers.end(), headers.begin(), headers.end());
    return std::make_shared<SeatedOutlet>(begin(std::move(head)), seat);
  };
}

/// The answer counts, and so does the time that it took, unless the client had it wait.
void count_answer(Metrics& metrics, int status, Millis took, bool waited) {
  constexpr int kClass = 100;
  constexpr std::int64_t kMicros = 1000;
  metrics.add(Metric::http_requests, 1, static_cast<std::size_t>(std::clamp(status / kClass, 2, 5) - 2));
  if (!waited) metrics.observe(Metric::http_duration, took.count() * kMicros);
}

/// What of the page is larger than this once it is inflated is not sent to a client that does not take gzip.
constexpr std::size_t kPageFileBytesMax = 16UL << 20U;

/// A reply whose body the client can read: compressed, where it takes that and the body is not short. A file of the page is compressed already.
Reply encoding(Reply reply, bool gzip) {
  constexpr std::size_t kShort = 1024;
  constexpr int kPart = 206;  // its range is one of the bytes as they are
  return [reply = std::move(reply), gzip](Answer answer) {
    const auto encoded = std::ranges::find(answer.headers, "Content-Encoding", &Headers::value_type::first);
    if (encoded == answer.headers.end() && gzip && answer.body.size() > kShort && answer.status != kPart) {
      answer.body = compressed(answer.body);
      answer.headers.emplace_back("Content-Encoding", "gzip");
      answer.headers.emplace_back("Vary", "Accept-Encoding");
    } else if (encoded != answer.headers.end() && !gzip) {
      answer.headers.erase(encoded);
      auto body = decompressed(answer.body, kPageFileBytesMax);
      if (!body) return reply(to_answer(body.error(), true));
      answer.body = std::move(*body);
    }
    reply(std::move(answer));
  };
}

/// Access tokens are read at the start of the coordinator. Without them requests are refused, and told to come again.
constexpr std::chrono::seconds kTokensWait{10};

std::size_t largest_body() {
  std::size_t largest = 0;
  for (const auto& route : routes()) largest = std::max(largest, route.body_bytes_max);
  return largest;
}

}  // namespace

struct Service::Front {
  Guard guard;
  const Clock* clock = nullptr;
  std::shared_ptr<Metrics> metrics;
  caf::actor desk;
  std::atomic<bool> ending = false;
  bool tokens = false;
  RolesByName certificate_roles;
  std::optional<Issuer> issuer;
  std::shared_ptr<CallerLimits> limits;  // null: there are none, and no tokens that may have some of their own

  [[nodiscard]] bool asks_who() const { return tokens || issuer || !certificate_roles.empty(); }

  void set_tokens(const storage::AccessTokens& there_are) {
    auto book = std::make_shared<const coordinator::TokenBook>(there_are);
    {
      const std::lock_guard lock{changing_};
      book_ = std::move(book);
    }
    known_.notify_all();
  }

  /// Whoever connects as soon as it can is not told to come again.
  void wait_for_tokens() {
    std::unique_lock lock{changing_};
    known_.wait_for(lock, kTokensWait, [this] { return book_ != nullptr; });
  }

  Outcome<Caller> check(const Request& request, const Route& route) const {
    const auto book = tokens_known();
    if (route.role == Role::anyone) return Caller{};
    if (tokens && !book) return refuse(Code::overloaded, "the coordinator has not read its access tokens yet; ask again");
    const Keys keys{.tokens = tokens ? book.get() : nullptr, .certificates = certificate_roles, .issuer = issuer ? &*issuer : nullptr};
    return check_access(request, route, keys, clock->now());
  }

  /// On a thread of the server.
  void take(Request request, Reply reply, Begin begin) const {
    const bool reads = only_reads(request.method);
    reply = encoding(std::move(reply), takes_gzip(request.header("accept-encoding")));
    const auto waited = count(reply, begin);
    if (ending) return reply(to_answer(make_error(Code::overloaded, "the coordinator is just ending; ask again when it is back"), true));
    if (auto sound = check_origin(request, guard); !sound) return reply(to_answer(std::move(sound).error(), reads));
    CallerLimits::Admission admission;
    const Access access = [&](const Request& from, const Route& route) { return admit(from, route, admission); };
    auto asked = find_route(request, routes(), clock->now(), access);
    if (admission.seat) keep_seat(admission, reply, begin);
    if (!asked) return reply(to_answer(asked.error(), reads));
    if (admission.seat) asked->use = admission.use;
    *waited = asked->wait.count() > 0;
    if (const auto* instant = std::get_if<Instant>(&asked->route->handler)) {
      auto answer = (*instant)(*asked);
      return reply(answer ? std::move(*answer) : to_answer(answer.error(), reads));
    }
    const auto bytes = asked->body_bytes;
    auto allowed = asks_who() ? holder_of(request, *asked->route) : nullptr;
    caf::anon_send(
        desk, RequestCame{std::make_shared<Asking>(Asking{std::move(*asked), bytes, reads, std::move(reply), std::move(begin), std::move(allowed)})});
  }

  /// The answer is counted. What is returned says whether the client has it wait for a chain; set before anybody else has the reply.
  [[nodiscard]] std::shared_ptr<bool> count(Reply& reply, Begin& begin) const {
    auto waited = std::make_shared<bool>(false);
    const auto told = [metrics = metrics, clock = clock, since = clock->now(), waited](int status, bool streams) {
      count_answer(*metrics, status, Millis{std::max<UnixMillis>(clock->now() - since, 0)}, *waited || streams);
    };
    reply = [reply = std::move(reply), told](Answer answer) {
      told(answer.status, false);
      reply(std::move(answer));
    };
    begin = [begin = std::move(begin), told](Answer head) {
      told(head.status, true);
      return begin(std::move(head));
    };
    return waited;
  }

  /// Who asks. What cannot be allowed counts, too: for the address that it comes from.
  Outcome<Caller> admit(const Request& request, const Route& route, CallerLimits::Admission& admission) const {
    auto who = asks_who() ? check(request, route) : Caller{};
    if (!limits || route.role == Role::anyone) return who;
    const auto own = who ? rate_of(who->by.id) : storage::TokenRate{};
    if (!limits->any_of(own)) return who;
    admission = limits->admit(caller_name(request, who ? &who->by : nullptr), clock->now(), own);
    if (!admission.seat) return refuse(too_many(admission));
    return who;
  }

  /// Whether what a request has shown still lets it in. The desk that asks ends before this does.
  std::function<bool()> holder_of(const Request& request, const Route& route) const {
    Request shown{.method = request.method,
                  .target = {},
                  .headers = {{"authorization", std::string{request.header("authorization")}}},
                  .body = {},
                  .certificate = request.certificate};
    return [this, shown = std::move(shown), &route] { return check(shown, route).has_value(); };
  }

 private:
  [[nodiscard]] std::shared_ptr<const coordinator::TokenBook> tokens_known() const {
    const std::lock_guard lock{changing_};
    return book_;
  }
  [[nodiscard]] storage::TokenRate rate_of(const std::string& id) const {
    const auto book = tokens_known();
    return book ? book->rate_of(id) : storage::TokenRate{};
  }

  mutable std::mutex changing_;
  std::condition_variable known_;
  std::shared_ptr<const coordinator::TokenBook> book_;  // null: not known yet
};

Result<std::unique_ptr<Service>> Service::open(caf::actor_system& system, ServiceOptions options) {
  auto front = std::make_shared<Front>();
  front->guard = guard_of(options);
  front->clock = options.desk.services->clock;
  front->metrics = options.desk.services->metrics;
  front->tokens = options.tokens;
  front->certificate_roles = std::move(options.certificate_roles);
  front->issuer = std::move(options.issuer);
  if (options.bounds.any() || options.tokens) front->limits = std::make_shared<CallerLimits>(options.bounds);
  HttpOptions http;
  if (!options.tls.certificate.empty()) {
    auto tls = link::TlsServer::open(options.tls, *front->clock);
    if (!tls) return fail(std::move(tls).error());
    http.tls = std::move(*tls);
  }
  if (options.tokens) {
    options.desk.on_tokens = [known = std::weak_ptr{front}](const std::shared_ptr<const storage::AccessTokens>& there_are) {
      if (const auto open = known.lock()) open->set_tokens(*there_are);
    };
  }
  front->desk = system.spawn(desk, std::move(options.desk));
  http.listen = options.listen;
  http.beyond_loopback = options.without_authentication || front->asks_who();
  http.body_bytes_max = largest_body();
  http.answer_max = kWaitMax + Millis{60'000};
  http.handle = [front](Request request, Reply reply, Begin begin) { front->take(std::move(request), std::move(reply), std::move(begin)); };
  if (options.tokens) front->wait_for_tokens();
  auto server = HttpServer::open(std::move(http));
  if (!server) {
    caf::anon_send_exit(front->desk, caf::exit_reason::user_shutdown);
    return fail(std::move(server).error());
  }
  return std::unique_ptr<Service>{new Service{system, std::move(front), std::move(*server)}};
}

Service::Service(caf::actor_system& system, std::shared_ptr<Front> front, std::unique_ptr<HttpServer> server)
    : system_{system}, front_{std::move(front)}, server_{std::move(server)} {}

Service::~Service() {
  front_->ending = true;
  caf::scoped_actor self{system_};
  self->send_exit(front_->desk, caf::exit_reason::user_shutdown);
  self->wait_for(front_->desk);
}

}  // namespace catena::api
