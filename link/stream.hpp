#pragma once
// One end of a connection, plain or in TLS: what gate and dialer have in common. All of it on one thread, but for write_now().
#include <array>
#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "link/tls.hpp"

namespace catena::link {

using asio::awaitable;
using asio::ip::tcp;

/// How long accepting rests when there are no descriptors: until then connections wait in the kernel's queue.
inline constexpr Millis kAcceptRest{100};

/// Small messages leave at once; a silent other side is noticed within half a minute.
void tune(tcp::socket& socket);

/// How far a stranger has come with what it has to say first.
enum class Opening {
  silent,  // not a byte came
  begun,
  complete,  // a whole ClientHello; without TLS a whole line
};

class LinkStream {
 public:
  explicit LinkStream(asio::io_context& io) : socket_{io} {}
  [[nodiscard]] tcp::socket& socket() { return socket_; }

  /// Errors: connection_failed with words on the other side; what TLS has to say to it is sent.
  [[nodiscard]] awaitable<Result<void>> secure(std::shared_ptr<const TlsContext> context);
  /// At least a byte; 0: the other side ended in order. Errors: connection_failed.
  [[nodiscard]] awaitable<Result<std::size_t>> read_some(std::span<char> into);
  /// All of it, behind what write_now() has left. Errors: connection_failed.
  [[nodiscard]] awaitable<Result<void>> write(std::span<const char> bytes);
  /// From any thread, after secure() and until close(), while nothing else is written: as much as the system takes at once. False: write() is to be
  /// called for the rest, or meets what is wrong.
  [[nodiscard]] bool write_now(std::span<const char> bytes);
  /// Nothing follows; what the other side says can still be read.
  [[nodiscard]] awaitable<void> finish();
  /// finish(), and what the other side sends is passed over until it has read why: closing at once could take the words away from it.
  [[nodiscard]] awaitable<void> part();
  void close();

  [[nodiscard]] Opening opening() const { return opening_; }
  void set_opening(Opening opening) { opening_ = opening; }
  [[nodiscard]] bool certificate_refused() const { return tls_ && tls_->certificate_refused(); }
  [[nodiscard]] TlsPeer peer() const { return tls_ ? tls_->peer() : TlsPeer{}; }

 private:
  [[nodiscard]] awaitable<Result<std::size_t>> receive(std::span<char> into);
  [[nodiscard]] awaitable<Result<void>> send(std::span<const char> bytes);
  [[nodiscard]] awaitable<Result<void>> send_output();
  /// What is to be sent for `bytes` joins output_. False: TLS failed.
  [[nodiscard]] bool put_out(std::span<const char> bytes);
  /// `words`: what was wrong, after `broken`.
  [[nodiscard]] TlsSession::State read_tls(std::span<char> into, std::size_t& size, std::string& words);
  [[nodiscard]] bool feed_tls(std::size_t size);

  tcp::socket socket_;
  std::mutex tls_mutex_;  // over the session and its words, from the first read_some() or write on
  std::unique_ptr<TlsSession> tls_;
  bool encrypts_ = true;              // false: something was given to TLS, and did not come out
  std::unique_ptr<char[]> received_;  // from the network, encrypted
  std::string output_;                // to the network, as it goes there
  Opening opening_ = Opening::silent;
};

/// A line of at most kPreambleBytesMax, without its end; what follows it goes to `ahead`. Errors: connection_failed (the other side left,
/// or TLS failed), field_value (what it sends is no such line).
[[nodiscard]] awaitable<Result<std::string>> read_preamble_line(LinkStream& stream, std::string& ahead);

}  // namespace catena::link
