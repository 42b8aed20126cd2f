#pragma once
// Requests of HTTP over loopback, as a program sends them.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/running.hpp"

namespace bench {

inline int connected(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) give_up("cannot connect");
  const int yes = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return socket;
}

inline void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("the server has closed a connection");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

inline std::string post(const std::string& target, const std::string& body, std::string_view type = "application/json",
                        std::string_view more_headers = "") {
  return fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\n{}Content-Type: {}\r\nContent-Length: {}\r\n\r\n{}", target, more_headers, type,
                     body.size(), body);
}

/// The answer to a request that asks for the connection to be closed behind it.
inline std::string answer_to(std::uint16_t port, std::string_view request) {
  const int socket = connected(port);
  send_all(socket, request);
  std::string came;
  std::array<char, 65536> bytes{};
  for (ssize_t got = 0; (got = ::recv(socket, bytes.data(), bytes.size(), 0)) > 0;) came.append(bytes.data(), static_cast<std::size_t>(got));
  ::close(socket);
  return came;
}

inline std::string got(std::uint16_t port, std::string_view target) {
  return answer_to(port, fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", target));
}

/// The sum of what is behind these series in the metrics of the server.
inline double metric(std::uint16_t port, const std::vector<std::string>& all) {
  const auto came = got(port, "/metrics");
  double sum = 0;
  for (const auto& series : all) {
    const auto at = came.find("\n" + series + " ");
    if (at == std::string::npos) give_up("the server has no series " + series);
    sum += std::stod(came.substr(at + series.size() + 2));
  }
  return sum;
}

}  // namespace bench
