#pragma once
// A member of the cluster as a test wants it: admitted behind the gate, it says what no worker or client would.
#include <deque>
#include <optional>

#include "actors/wire.hpp"
#include "link/frame_bytes.hpp"
#include "link/link.hpp"
#include "tests/cluster/proxies.hpp"

namespace cluster_test {

/// A connection that was let in over a plain link, and then says what it is told to.
class Liar {
 public:
  Liar(std::uint16_t port, const std::string& role) : fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{20, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    REQUIRE(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    say_raw("catena/2 " + role + " -\n");
    char answer[3] = {};
    REQUIRE(::recv(fd_, answer, sizeof answer, MSG_WAITALL) == 3);
    REQUIRE(std::string_view{answer, 3} == "ok\n");
  }
  ~Liar() { ::close(fd_); }
  Liar(const Liar&) = delete;
  Liar& operator=(const Liar&) = delete;

  void say_raw(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void say_frame(std::uint64_t number, std::uint64_t acked, std::string bytes, bool ends = true) const {
    std::string raw;
    catena::link::append_frame(raw, {number, acked, ends, std::move(bytes)});
    say_raw(raw);
  }
  void say(const catena::actors::NodeMessage& message) { say_bytes(catena::actors::encode(message)); }
  void say_bytes(std::string bytes) {
    link_.send(std::move(bytes));
    for (const auto& frame : link_.outgoing()) say_frame(frame.number, frame.acked, frame.bytes, frame.ends);
  }
  void greet(const std::string& role, const std::string& name, std::uint64_t incarnation = 1) {
    catena::actors::Greeting greeting;
    greeting.role = role;
    greeting.name = name;
    greeting.incarnation = incarnation;
    greeting.slots = 1;
    greeting.kinds = {"exec", "builtin"};
    greeting.held = {{"work", 1}};
    say(greeting);
  }
  /// The next message of the coordinator; none when the line is over before.
  [[nodiscard]] std::optional<catena::actors::NodeMessage> hear() {
    while (heard_.empty()) {
      char bytes[4096];
      const auto got = ::recv(fd_, bytes, sizeof bytes, 0);
      if (got <= 0) return std::nullopt;
      auto frames = reader_.feed({bytes, static_cast<std::size_t>(got)});
      REQUIRE(frames);
      for (auto& frame : *frames) {
        auto messages = link_.receive(std::move(frame));
        REQUIRE(messages);
        for (const auto& message : *messages) heard_.push_back(catena::actors::decode_message(message).value());
      }
    }
    auto first = std::move(heard_.front());
    heard_.pop_front();
    return first;
  }
  /// Nothing more is said; what was said is still read.
  void fall_silent() const { ::shutdown(fd_, SHUT_WR); }
  /// The coordinator has ended it, or does so in time.
  [[nodiscard]] bool is_ended() const {
    char bytes[4096];
    for (;;) {
      const auto got = ::recv(fd_, bytes, sizeof bytes, 0);
      if (got == 0) return true;
      if (got < 0) return errno == ECONNRESET || errno == EPIPE;
    }
  }

 private:
  int fd_;
  catena::link::FrameReader reader_;
  std::deque<catena::actors::NodeMessage> heard_;
  catena::link::Link link_{{.window_bytes = 512UL << 20U}};  // it keeps to no window
};

}  // namespace cluster_test
