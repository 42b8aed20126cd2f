#pragma once
// A client that says exactly what a test wants: bytes to a port of loopback, and what comes back.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.hpp"
#include "base/json.hpp"

namespace catena::api::test {

struct Received {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  [[nodiscard]] Json json() const { return Json::parse(body); }
};

class Connection {
 public:
  /// `receive_bytes`: about as much as the system takes in for a client that does not read; 0: as it likes.
  explicit Connection(std::uint16_t port, int receive_bytes = 0) : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    if (receive_bytes != 0) ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
    const int yes = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }

  /// False: the other side has closed it.
  bool say(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  bool ask(const std::string& method, const std::string& target, const std::string& body = {}, const std::string& headers = {}) const {
    auto text = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n{}", method, target, headers);
    if (!body.empty() && headers.find("Content-Type:") == std::string::npos) text += "Content-Type: application/json\r\n";
    if (!body.empty()) text += fmt::format("Content-Length: {}\r\n", body.size());
    return say(text + "\r\n" + body);
  }
  /// The next answer; nothing: the connection was closed before it was whole.
  std::optional<Received> hear() {
    auto received = hear_head();
    if (!received) return std::nullopt;
    if (!received->headers.contains("content-length")) {
      for (auto chunk = hear_chunk(); !chunk || !chunk->empty(); chunk = hear_chunk()) {
        if (!chunk) return std::nullopt;
        received->body += *chunk;
      }
      return received;
    }
    const auto length = std::stoul(received->headers.at("content-length"));
    if (!has(length)) return std::nullopt;
    received->body = came_.substr(0, length);
    came_.erase(0, length);
    return received;
  }
  std::optional<Received> hear_head() {
    const auto head_end = [&] { return came_.find("\r\n\r\n"); };
    while (head_end() == std::string::npos) {
      if (!read_more()) return std::nullopt;
    }
    const auto head = came_.substr(0, head_end() + 2);
    came_.erase(0, head.size() + 2);
    Received received;
    received.status = std::stoi(head.substr(9, 3));
    for (auto at = head.find("\r\n") + 2; at < head.size();) {
      const auto end = head.find("\r\n", at);
      const auto colon = head.find(':', at);
      auto name = head.substr(at, colon - at);
      std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
      received.headers[name] = head.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    return received;
  }
  /// The next chunk of an answer that comes in chunks; an empty one is the last. Nothing: the connection was closed before.
  std::optional<std::string> hear_chunk() {
    while (came_.find("\r\n") == std::string::npos) {
      if (!read_more()) return std::nullopt;
    }
    const auto begin = came_.find("\r\n") + 2;
    const auto length = std::stoul(came_, nullptr, 16);
    if (!has(begin + length + 2)) return std::nullopt;
    auto chunk = came_.substr(begin, length);
    came_.erase(0, begin + length + 2);
    return chunk;
  }
  /// True: the other side closes it, whatever it says before.
  bool is_closed() {
    while (read_more()) {
    }
    return closed_;
  }

 private:
  bool has(std::size_t bytes) {
    while (came_.size() < bytes) {
      if (!read_more()) return false;
    }
    return true;
  }
  bool read_more() {
    constexpr int kGiveUpMs = 90'000;
    pollfd watch{socket_.get(), POLLIN, 0};
    if (::poll(&watch, 1, kGiveUpMs) != 1) return false;
    std::array<char, 65536> buffer{};
    const auto got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    closed_ = got <= 0;
    if (got > 0) came_.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  Fd socket_;
  std::string came_;
  bool closed_ = false;
};

/// One request on a connection of its own.
inline Received ask(std::uint16_t port, const std::string& method, const std::string& target, const std::string& body = {},
                    const std::string& headers = {}) {
  Connection connection{port};
  REQUIRE(connection.ask(method, target, body, headers));
  auto received = connection.hear();
  REQUIRE(received);
  return std::move(*received);
}

}  // namespace catena::api::test
