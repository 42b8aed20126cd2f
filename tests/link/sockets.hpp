#pragma once
// Plain sockets for tests of links: a far side that echoes, a peer that says what a test wants. Waiting has a deadline that fails the test.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "link/log.hpp"

namespace links_test {

constexpr int kDeadlineMillis = 30'000;

/// Looks again and again; false when it has not become true in time.
inline bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{kDeadlineMillis};
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

/// What a gate or dialer says.
class Lines {
 public:
  [[nodiscard]] catena::link::LinkLog log() {
    return [this](catena::link::LinkNews, std::string_view line) {
      const std::lock_guard lock{mutex_};
      lines_.emplace_back(line);
      changed_.notify_all();
    };
  }
  [[nodiscard]] bool wait_for(const std::string& text) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::milliseconds{kDeadlineMillis}, [&] {
      return std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) { return line.find(text) != std::string::npos; });
    });
  }
  [[nodiscard]] std::string all() const {
    const std::lock_guard lock{mutex_};
    std::string text;
    for (const auto& line : lines_) text += line + '\n';
    return text;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

class Socket {
 public:
  Socket() : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    REQUIRE(fd_ >= 0);
    limit();
  }
  explicit Socket(int fd) : fd_{fd} { limit(); }
  Socket(Socket&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() { close(); }

  [[nodiscard]] static Socket to(std::uint16_t port) {
    Socket made;
    REQUIRE(made.connect(port));
    return made;
  }
  [[nodiscard]] bool connect(std::uint16_t port) const {
    const auto address = loopback(port);
    return ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  /// False when the other side has closed.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// Empty at the end, after a reset, and when the deadline has passed (then timed_out()).
  std::string receive(std::size_t most = 65'536) {
    std::string bytes(most, '\0');
    const auto got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    timed_out_ = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  /// With its end, or what came before the other side closed.
  std::string line() {
    std::string text;
    while (!text.ends_with('\n')) {
      const auto byte = receive(1);
      if (byte.empty()) break;
      text += byte;
    }
    return text;
  }
  /// Until the other side closes.
  std::string rest() {
    std::string text;
    for (auto piece = receive(); !piece.empty(); piece = receive()) text += piece;
    return text;
  }
  /// The other side has closed, or does so in time.
  bool closes() {
    static_cast<void>(rest());
    return !timed_out_;
  }
  [[nodiscard]] bool timed_out() const { return timed_out_; }
  void finish() const { ::shutdown(fd_, SHUT_WR); }
  /// Leaves with a reset.
  void reset() {
    const linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close();
  }
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int fd() const { return fd_; }

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

 private:
  void limit() const {
    const timeval deadline{kDeadlineMillis / 1'000, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof(deadline));
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &deadline, sizeof(deadline));
  }
  int fd_;
  bool timed_out_ = false;
};

/// A listening socket on loopback, of which a test decides what becomes.
class Listener {
 public:
  Listener() {
    const auto any = Socket::loopback(0);
    const int on = 1;
    ::setsockopt(socket_.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    REQUIRE(::bind(socket_.fd(), reinterpret_cast<const sockaddr*>(&any), sizeof(any)) == 0);
    REQUIRE(::listen(socket_.fd(), 1024) == 0);
    sockaddr_in bound{};
    socklen_t size = sizeof(bound);
    REQUIRE(::getsockname(socket_.fd(), reinterpret_cast<sockaddr*>(&bound), &size) == 0);
    port_ = ntohs(bound.sin_port);
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int fd() const { return socket_.fd(); }
  [[nodiscard]] Socket accept() const {
    const int fd = ::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC);
    REQUIRE(fd >= 0);
    return Socket{fd};
  }
  void close() { socket_.close(); }

 private:
  Socket socket_;
  std::uint16_t port_ = 0;
};

}  // namespace links_test
