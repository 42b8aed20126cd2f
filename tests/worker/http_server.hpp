#pragma once
// A server on loopback that answers as a test says: every connection has a thread, every request is handed to one function.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.hpp"

namespace catena::worker::test {

struct Received {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::size_t connection = 0;  // counts from 1
};

struct Answer {
  std::string bytes;
  enum class Then { keep, close, reset, hang } then = Then::keep;
};

inline Answer answer(int status, std::string_view body, const std::vector<std::string>& headers = {}) {
  std::string bytes = fmt::format("HTTP/1.1 {} Said\r\n", status);
  for (const auto& header : headers) bytes += header + "\r\n";
  if (status != 204) bytes += fmt::format("Content-Length: {}\r\n", body.size());
  return {bytes + "\r\n" + std::string{body}};
}

class HttpServer {
 public:
  using Handler = std::function<Answer(const Received& request)>;

  explicit HttpServer(Handler handler, const char* address = "127.0.0.1")
      : handler_{std::move(handler)}, host_{address}, listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)}, end_{::eventfd(0, EFD_CLOEXEC)} {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    ::inet_pton(AF_INET, address, &to.sin_addr);
    socklen_t length = sizeof to;
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&to), length) != 0 || ::listen(listener_.get(), 128) != 0)
      throw std::runtime_error{"listen"};
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&to), &length);
    port_ = ntohs(to.sin_port);
    acceptor_ = std::thread{[this] { accept_all(); }};
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer() {
    ::eventfd_write(end_.get(), 1);
    acceptor_.join();
    for (auto& connection : connections_) connection.join();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url(const std::string& path = "/") const { return fmt::format("http://{}:{}{}", host_, port_, path); }
  [[nodiscard]] std::size_t connections() const { return accepted_; }
  [[nodiscard]] std::vector<Received> received() const {
    const std::scoped_lock lock{mutex_};
    return received_;
  }
  /// Blocks until that many requests have come; false after half a minute.
  [[nodiscard]] bool wait_for(std::size_t requests) const {
    std::unique_lock lock{mutex_};
    return came_.wait_for(lock, std::chrono::seconds{30}, [&] { return received_.size() >= requests; });
  }
  /// Blocks until that many connections were closed from this side; false after half a minute.
  [[nodiscard]] bool wait_for_closed(std::size_t connections) const {
    std::unique_lock lock{mutex_};
    return came_.wait_for(lock, std::chrono::seconds{30}, [&] { return closed_ >= connections; });
  }

 private:
  void accept_all() {
    while (readable(listener_.get())) {
      Fd connection{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
      if (!connection.is_open()) continue;
      const int yes = 1;
      ::setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      connections_.emplace_back([this, fd = std::move(connection), number = ++accepted_]() mutable { serve(fd, number); });
    }
  }

  /// False once the server is to end.
  [[nodiscard]] bool readable(int fd) const {
    pollfd waited[2] = {{.fd = fd, .events = POLLIN, .revents = 0}, {.fd = end_.get(), .events = POLLIN, .revents = 0}};
    while (::poll(waited, 2, -1) < 0) {
    }
    return waited[1].revents == 0;
  }

  void serve(Fd& connection, std::size_t number) {
    std::string buffer;
    while (auto request = next_request(connection.get(), buffer)) {
      request->connection = number;
      {
        const std::scoped_lock lock{mutex_};
        received_.push_back(*request);
      }
      came_.notify_all();
      const auto said = handler_(*request);
      for (std::string_view rest = said.bytes; !rest.empty();) {
        const auto sent = ::send(connection.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(sent));
      }
      if (said.then == Answer::Then::hang) static_cast<void>(readable(-1));
      if (said.then == Answer::Then::reset) {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(connection.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      }
      if (said.then != Answer::Then::keep) break;
    }
    connection.close();
    {
      const std::scoped_lock lock{mutex_};
      ++closed_;
    }
    came_.notify_all();
  }

  [[nodiscard]] std::optional<Received> next_request(int fd, std::string& buffer) const {
    std::size_t head = std::string::npos;
    while ((head = buffer.find("\r\n\r\n")) == std::string::npos) {
      if (!read_more(fd, buffer)) return std::nullopt;
    }
    Received request;
    const auto first = buffer.substr(0, buffer.find("\r\n"));
    request.method = first.substr(0, first.find(' '));
    request.path = first.substr(request.method.size() + 1, first.rfind(' ') - request.method.size() - 1);
    for (std::size_t at = first.size() + 2; at < head;) {
      const auto end = buffer.find("\r\n", at);
      const auto line = buffer.substr(at, end - at);
      auto name = line.substr(0, line.find(':'));
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const auto value = line.find_first_not_of(' ', name.size() + 1);
      request.headers[name] = value == std::string::npos ? "" : line.substr(value);
      at = end + 2;
    }
    const auto length = request.headers.contains("content-length") ? std::stoul(request.headers["content-length"]) : 0UL;
    while (buffer.size() < head + 4 + length) {
      if (!read_more(fd, buffer)) return std::nullopt;
    }
    request.body = buffer.substr(head + 4, length);
    buffer.erase(0, head + 4 + length);
    return request;
  }

  [[nodiscard]] bool read_more(int fd, std::string& buffer) const {
    if (!readable(fd)) return false;
    char bytes[65536];
    const auto count = ::recv(fd, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    buffer.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  Handler handler_;
  std::string host_;
  Fd listener_;
  Fd end_;
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> accepted_{0};
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::vector<Received> received_;
  std::size_t closed_ = 0;
  std::vector<std::thread> connections_;  // of the acceptor's thread
  std::thread acceptor_;
};

}  // namespace catena::worker::test
