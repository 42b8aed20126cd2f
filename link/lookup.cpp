#include "link/lookup.hpp"

#include <fmt/format.h>
#include <netdb.h>

#include <asio/post.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "link/thread.hpp"

namespace catena::link {
namespace {

/// Threads that hang in the resolver at once.
constexpr int kHangingMax = 4;
/// Of one name.
constexpr std::size_t kEndpointsMax = 8;

Result<Endpoints> ask_system(const LinkAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int answer = ::getaddrinfo(address.host.c_str(), nullptr, &hints, &list);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{answer == 0 ? list : nullptr, &::freeaddrinfo};
  if (answer != 0) return fail(Code::connection_failed, fmt::format("'{}' is not to be found: {}", address.host, ::gai_strerror(answer)));
  Endpoints found;
  for (const auto* entry = list; entry != nullptr && found.size() < kEndpointsMax; entry = entry->ai_next) {
    asio::ip::tcp::endpoint endpoint;
    if (entry->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), entry->ai_addr, entry->ai_addrlen);
    endpoint.resize(entry->ai_addrlen);
    endpoint.port(address.port);
    found.push_back(endpoint);
  }
  if (found.empty()) return fail(Code::connection_failed, fmt::format("'{}' has no address", address.host));
  return found;
}

}  // namespace

/// Lives on the links' thread alone; the asking thread only knows where it would be.
struct Lookup::Question {
  explicit Question(asio::io_context& io) : answered{io} {}
  asio::steady_timer answered;
  std::optional<Result<Endpoints>> answer;
};

/// What the asking threads and the links' thread have in common.
struct Lookup::Shared {
  std::mutex mutex;
  asio::io_context* io = nullptr;  // null: nobody waits any more
  int hanging = 0;
};

Lookup::Lookup(asio::io_context& io) : io_{io}, shared_{std::make_shared<Shared>()} { shared_->io = &io; }

Lookup::~Lookup() {
  const std::lock_guard lock{shared_->mutex};
  shared_->io = nullptr;
}

asio::awaitable<Result<Endpoints>> Lookup::find(LinkAddress address, Millis limit) {
  asio::error_code ec;
  const auto numeric = asio::ip::make_address(address.host, ec);
  if (!ec) {
    Endpoints itself(1, asio::ip::tcp::endpoint{numeric, address.port});
    co_return itself;
  }
  if (closed_) co_return fail(Code::connection_failed, "the links are closed");
  const auto question = std::make_shared<Question>(io_);
  question->answered.expires_after(limit);
  if (auto asked = ask(address, question); !asked) co_return fail(asked.error());
  std::erase_if(open_, [](const auto& other) { return other.expired(); });
  open_.push_back(question);
  co_await question->answered.async_wait(asio::redirect_error(asio::use_awaitable, ec));
  if (question->answer) co_return std::move(*question->answer);
  co_return fail(Code::connection_failed, fmt::format("looking up '{}' gave no answer within {}", address.host, catena::to_string(limit)));
}

Result<void> Lookup::ask(const LinkAddress& address, const std::shared_ptr<Question>& question) {
  const std::lock_guard lock{shared_->mutex};
  if (shared_->hanging >= kHangingMax) return fail(Code::connection_failed, fmt::format("looking up '{}' hangs", address.host));
  // Only this thread may end a question, so the asking one has no share in it.
  const auto work = [shared = shared_, address, place = std::weak_ptr<Question>{question}] {
    auto answer = ask_system(address);
    const std::lock_guard done{shared->mutex};
    --shared->hanging;
    if (shared->io == nullptr) return;
    asio::post(*shared->io, [place, answer = std::move(answer)]() mutable {
      const auto waiting = place.lock();
      if (!waiting) return;
      waiting->answer = std::move(answer);
      waiting->answered.cancel();
    });
  };
  const SignalsElsewhere signals;
  try {
    std::thread{work}.detach();
    ++shared_->hanging;
  } catch (const std::system_error& error) {
    return fail(Code::connection_failed, fmt::format("no thread is to be had to look up '{}': {}", address.host, error.what()));
  }
  return {};
}

void Lookup::close() {
  closed_ = true;
  for (const auto& place : open_) {
    if (const auto question = place.lock()) question->answered.cancel();
  }
}

}  // namespace catena::link
