#include "api/service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <mutex>

#include "api/access.hpp"
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

/// A reply that is sent compressed, where it is not short.
Reply compressing(Reply reply) {
  constexpr std::size_t kShort = 1024;
  return [reply = std::move(reply)](Answer answer) {
    if (answer.body.size() > kShort) {
      answer.body = compressed(answer.body);
      answer.headers.emplace_back("Content-Encoding", "gzip");
      answer.headers.emplace_back("Vary", "Accept-Encoding");
    }
    reply(std::move(answer));
  };
}

std::size_t largest_body() {
  std::size_t largest = 0;
  for (const auto& route : routes()) largest = std::max(largest, route.body_bytes_max);
  return largest;
}

}  // namespace

struct Service::Front {
  Guard guard;
  const Clock* clock = nullptr;
  caf::actor desk;
  std::atomic<bool> ending = false;
  bool tokens = false;

  void set_tokens(const storage::AccessTokens& there_are) {
    auto book = std::make_shared<const coordinator::TokenBook>(there_are);
    const std::lock_guard lock{changing_};
    book_ = std::move(book);
  }

  Outcome<storage::Asker> check(const Request& request, const Route& route) const {
    std::shared_ptr<const coordinator::TokenBook> book;
    {
      const std::lock_guard lock{changing_};
      book = book_;
    }
    if (route.role == Role::anyone) return storage::Asker{storage::AskedVia::http, {}, {}};
    if (!book) return refuse(Code::overloaded, "the coordinator has not read its access tokens yet; ask again");
    return check_access(request, route, *book, clock->now());
  }

  /// On a thread of the server.
  void take(Request request, Reply reply, Begin begin) const {
    const bool reads = only_reads(request.method);
    if (takes_gzip(request.header("accept-encoding"))) reply = compressing(std::move(reply));
    if (ending) return reply(to_answer(make_error(Code::overloaded, "the coordinator is just ending; ask again when it is back"), true));
    if (auto sound = check_origin(request, guard); !sound) return reply(to_answer(std::move(sound).error(), reads));
    const Access access = [this](const Request& from, const Route& route) { return check(from, route); };
    auto asked = find_route(request, routes(), clock->now(), tokens ? access : nullptr);
    if (!asked) return reply(to_answer(asked.error(), reads));
    if (const auto* instant = std::get_if<Instant>(&asked->route->handler)) {
      auto answer = (*instant)(*asked);
      return reply(answer ? std::move(*answer) : to_answer(answer.error(), reads));
    }
    const auto bytes = asked->body_bytes;
    auto allowed = tokens ? holder_of(request, *asked->route) : nullptr;
    caf::anon_send(
        desk, RequestCame{std::make_shared<Asking>(Asking{std::move(*asked), bytes, reads, std::move(reply), std::move(begin), std::move(allowed)})});
  }

  /// Whether the token that a request has shown is still valid. The desk that asks ends before this does.
  std::function<bool()> holder_of(const Request& request, const Route& route) const {
    Request shown{.method = request.method, .target = {}, .headers = {{"authorization", std::string{request.header("authorization")}}}, .body = {}};
    return [this, shown = std::move(shown), &route] { return check(shown, route).has_value(); };
  }

 private:
  mutable std::mutex changing_;
  std::shared_ptr<const coordinator::TokenBook> book_;  // null: not known yet
};

Result<std::unique_ptr<Service>> Service::open(caf::actor_system& system, ServiceOptions options) {
  auto front = std::make_shared<Front>();
  front->guard = guard_of(options);
  front->clock = options.desk.services->clock;
  front->tokens = options.tokens;
  if (options.tokens) {
    options.desk.on_tokens = [known = std::weak_ptr{front}](const std::shared_ptr<const storage::AccessTokens>& there_are) {
      if (const auto open = known.lock()) open->set_tokens(*there_are);
    };
  }
  front->desk = system.spawn(desk, std::move(options.desk));
  HttpOptions http;
  http.listen = options.listen;
  http.beyond_loopback = options.without_authentication || options.tokens;
  http.body_bytes_max = largest_body();
  http.answer_max = kWaitMax + Millis{60'000};
  http.handle = [front](Request request, Reply reply, Begin begin) { front->take(std::move(request), std::move(reply), std::move(begin)); };
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
