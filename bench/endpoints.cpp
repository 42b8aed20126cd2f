// Measures calls of tools that are not programs of one attempt: a serve: child and an HTTP server on loopback, both of which only echo,
// each as a fan-out of a chain and beside the same fan-out over a builtin.
//   bench_endpoints CATENA_BINARY [WORK_DIR]
//   bench_endpoints --serve      is the serve: tool
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <iostream>
#include <thread>

#include "bench/running.hpp"

namespace {

using namespace bench;

constexpr int kItems = 60'000;
constexpr int kRounds = 5;

/// Answers every request of one connection.
void talk(int connection) {
  constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{\"ok\":true}";
  std::string buffer;
  std::array<char, 65536> bytes{};
  for (ssize_t got = 0; (got = ::recv(connection, bytes.data(), bytes.size(), 0)) > 0;) {
    buffer.append(bytes.data(), static_cast<std::size_t>(got));
    for (std::size_t head = 0; (head = buffer.find("\r\n\r\n")) != std::string::npos;) {
      constexpr std::string_view kLength = "Content-Length: ";
      const auto length = buffer.find(kLength);
      const auto body = length < head ? std::stoul(buffer.substr(length + kLength.size(), 20)) : 0UL;
      if (buffer.size() < head + 4 + body) break;
      buffer.erase(0, head + 4 + body);
      if (::send(connection, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL) < 0) return;
    }
  }
  ::close(connection);
}

/// A port of loopback with a server behind it, as long as this process runs.
std::uint16_t start_server() {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 128) != 0) give_up("cannot listen");
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::thread{[listener] {
    for (;;) {
      const int connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      const int yes = 1;
      ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      if (connection >= 0) std::thread{talk, connection}.detach();
    }
  }}.detach();
  return ntohs(address.sin_port);
}

double rate(const Catena& catena, const std::string& name, const std::string& endpoint, unsigned slots) {
  const auto definition = catena.define(name, fan_out(endpoint));
  return kItems / chain_seconds(catena.run(definition, {"-p", fmt::format("count={}", kItems), "--slots", std::to_string(slots)}));
}

void compare(const Catena& catena, std::string_view kind, const std::string& endpoint, unsigned slots, std::string_view wanted) {
  std::vector<double> rates, builtin, ratios;
  for (int round = 0; round < kRounds; ++round) {
    builtin.push_back(rate(catena, "builtin.tool", "builtin:echo", slots));
    rates.push_back(rate(catena, "called.tool", endpoint, slots));
    ratios.push_back(rates.back() / builtin.back());
  }
  row(fmt::format("{} {} items, {} slots", kItems, kind, slots), fmt::format("{:.0f} calls/s", median(rates)),
      fmt::format("{:.0f} builtin items/s", median(builtin)), fmt::format("{:.3f}", median(ratios)), wanted);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) give_up("usage: bench_endpoints CATENA_BINARY [WORK_DIR]");
  if (argv[1] == kServe) return serve();
  const fs::path base = argc > 2 ? fs::path{argv[2]} : fs::current_path();
  const auto work = base / fmt::format("catena-bench-{}", ::getpid());
  fs::create_directories(work);
  const Catena catena{argv[1], work};
  const auto port = start_server();
  fmt::print("{:<34} {:>20} {:>28} {:>10}   {}\n", "case", "catena", "baseline in the same run", "ratio", "wanted");
  for (const unsigned slots : {2U, 4U}) compare(catena, "serve:", echo_server(), slots, ">= 15000 calls/s");
  for (const unsigned slots : {2U, 4U}) compare(catena, "http:", fmt::format("http://127.0.0.1:{}/echo", port), slots, ">= 3000 calls/s");
  fs::remove_all(work);
  return 0;
}
