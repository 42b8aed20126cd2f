#include "link/stream.hpp"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/redirect_error.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include "link/preamble.hpp"

namespace catena::link {
namespace {

constexpr std::size_t kReceiveBytes = 64UL << 10U;
/// A handshake with two certificates takes a few thousand.
constexpr std::size_t kHandshakeBytesMax = 64UL << 10U;
constexpr std::size_t kPartingBytesMax = 256UL << 10U;

constexpr int kKeepaliveIdleSeconds = 15;
constexpr int kKeepaliveBetweenSeconds = 5;
constexpr int kKeepaliveProbes = 3;
constexpr unsigned kUnacknowledgedMillis = 30'000;

template <class T>
void set_option(int descriptor, int level, int name, T value) {
  // A kernel without it is slower to notice, nothing else.
  static_cast<void>(::setsockopt(descriptor, level, name, &value, sizeof(value)));
}

tl::unexpected<Error> lost(std::string words) { return fail(Code::connection_failed, std::move(words)); }
tl::unexpected<Error> lost(const asio::error_code& ec) { return lost(ec.message()); }

}  // namespace

void tune(tcp::socket& socket) {
  const int descriptor = socket.native_handle();
  set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kKeepaliveIdleSeconds);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kKeepaliveBetweenSeconds);
  set_option(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kKeepaliveProbes);
  set_option(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMillis);
}

awaitable<Result<std::size_t>> LinkStream::receive(std::span<char> into) {
  asio::error_code ec;
  const auto got = co_await socket_.async_read_some(asio::buffer(into.data(), into.size()), asio::redirect_error(asio::use_awaitable, ec));
  if (ec == asio::error::eof) co_return std::size_t{0};
  if (ec) co_return lost(ec);
  if (opening_ == Opening::silent) opening_ = Opening::begun;
  co_return got;
}

awaitable<Result<void>> LinkStream::send(std::span<const char> bytes) {
  asio::error_code ec;
  co_await asio::async_write(socket_, asio::buffer(bytes.data(), bytes.size()), asio::redirect_error(asio::use_awaitable, ec));
  if (ec) co_return lost(ec);
  co_return Result<void>{};
}

awaitable<Result<void>> LinkStream::send_output() {
  if (output_.empty()) co_return Result<void>{};
  if (tls_) opening_ = Opening::complete;  // there is an answer to it
  const auto sent = co_await send(output_);
  output_.clear();
  co_return sent;
}

bool LinkStream::put_out(std::span<const char> bytes) {
  if (!tls_) {
    output_.append(bytes.data(), bytes.size());
    return true;
  }
  const std::lock_guard lock{tls_mutex_};
  encrypts_ = encrypts_ && tls_->write(bytes);
  tls_->take_output(output_);
  return encrypts_;
}

awaitable<Result<void>> LinkStream::secure(std::shared_ptr<const TlsContext> context) {
  auto session = TlsSession::begin(std::move(context));
  if (!session) co_return fail(session.error());
  tls_ = std::move(*session);
  received_ = std::make_unique_for_overwrite<char[]>(kReceiveBytes);
  for (std::size_t total = 0;;) {
    const auto state = tls_->handshake();
    tls_->take_output(output_);
    const auto sent = co_await send_output();
    if (state == TlsSession::State::done) co_return sent;
    if (state != TlsSession::State::wants_input) co_return lost(state == TlsSession::State::ended ? "it left" : tls_->words());
    if (!sent) co_return sent;
    if (total >= kHandshakeBytesMax) co_return lost("its handshake is longer than any");
    const auto got = co_await receive(std::span<char>{received_.get(), std::min(kReceiveBytes, kHandshakeBytesMax - total)});
    if (!got) co_return fail(got.error());
    if (*got == 0) {
      // A gate that has no room says so only by this: words would need the handshake.
      auto error = make_error(Code::connection_failed, "it left during the TLS handshake (it may have too many connections)");
      error.details = Json{{"refused", "busy"}};
      co_return fail(std::move(error));
    }
    total += *got;
    if (!tls_->feed(std::span<const char>{received_.get(), *got})) co_return lost("no memory");
  }
}

awaitable<Result<std::size_t>> LinkStream::read_some(std::span<char> into) {
  if (!tls_) co_return co_await receive(into);
  for (;;) {
    std::size_t size = 0;
    std::string words;
    switch (read_tls(into, size, words)) {
      case TlsSession::State::done: co_return size;
      case TlsSession::State::ended: co_return std::size_t{0};
      case TlsSession::State::broken: co_return lost(std::move(words));
      case TlsSession::State::wants_input: break;
    }
    const auto got = co_await receive(std::span<char>{received_.get(), kReceiveBytes});
    if (!got) co_return got;
    // An end that TLS did not announce may be somebody else's doing.
    if (*got == 0) co_return lost("the stream was cut off");
    if (!feed_tls(*got)) co_return lost("no memory");
  }
}

TlsSession::State LinkStream::read_tls(std::span<char> into, std::size_t& size, std::string& words) {
  const std::lock_guard lock{tls_mutex_};
  const auto state = tls_->read(into, size);
  if (state == TlsSession::State::broken) words = tls_->words();
  return state;
}

bool LinkStream::feed_tls(std::size_t size) {
  const std::lock_guard lock{tls_mutex_};
  return tls_->feed(std::span<const char>{received_.get(), size});
}

awaitable<Result<void>> LinkStream::write(std::span<const char> bytes) {
  if (!tls_ && output_.empty()) co_return co_await send(bytes);
  if (!put_out(bytes)) co_return lost(tls_->words());
  co_return co_await send_output();
}

bool LinkStream::write_now(std::span<const char> bytes) {
  if (!put_out(bytes)) return false;
  const auto written = ::send(socket_.native_handle(), output_.data(), output_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (written > 0) output_.erase(0, static_cast<std::size_t>(written));
  return output_.empty();
}

awaitable<void> LinkStream::finish() {
  if (tls_) {
    {
      const std::lock_guard lock{tls_mutex_};
      tls_->close();
      tls_->take_output(output_);
    }
    static_cast<void>(co_await send_output());
  }
  asio::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

awaitable<void> LinkStream::part() {
  co_await finish();
  std::array<char, 4096> passed_over;
  for (std::size_t total = 0; total < kPartingBytesMax;) {
    const auto got = co_await receive(passed_over);
    if (!got || *got == 0) break;
    total += *got;
  }
}

void LinkStream::close() {
  asio::error_code ignored;
  socket_.close(ignored);
}

awaitable<Result<std::string>> read_preamble_line(LinkStream& stream, std::string& ahead) {
  std::string line;
  std::array<char, kPreambleBytesMax> piece;
  for (;;) {
    const auto got = co_await stream.read_some(std::span<char>{piece.data(), kPreambleBytesMax - line.size()});
    if (!got) co_return fail(got.error());
    if (*got == 0) co_return lost("it left without a word");
    const auto before = line.size();
    line.append(piece.data(), *got);
    const auto end = line.find('\n', before);
    // What is no text will not become a line: there is nothing to wait for.
    const bool text = std::ranges::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(std::min(end, line.size())),
                                          [](char c) { return c >= ' ' && c < 0x7f; });
    if (!text || (end == std::string::npos && line.size() >= kPreambleBytesMax)) {
      co_return fail(Code::field_value, "what it sends is no line of this protocol (is one side plain, and the other TLS?)");
    }
    if (end == std::string::npos) continue;
    stream.set_opening(Opening::complete);
    ahead = line.substr(end + 1);
    line.resize(end);
    co_return line;
  }
}

}  // namespace catena::link
