#pragma once
// A network between builds that differ: whatever one node says to another, and a client asks or is answered, gets members that this build
// does not know, in every struct of every message, and messages of a kind that it does not know come in between. For plain links.
#include <array>

#include "link/frame_bytes.hpp"
#include "link/link.hpp"
#include "tests/cluster/proxies.hpp"

namespace cluster_test {

/// What a newer build would say instead.
class Translation {
 public:
  [[nodiscard]] std::string of(const std::string& message) {
    auto whole = json::from_msgpack(message);
    const std::string kind = whole.at(0);
    // what clients ask and are answered travels as a message within one
    if (kind.starts_with("client_")) whole.at(1)["body"] = of(whole.at(1).value("body", ""));
    add_members(whole.at(1));
    return bytes(whole);
  }
  [[nodiscard]] std::string new_kind() const { return bytes(json{"forecast", {{"rain", true}, {"of", {1, 2, 3}}}}); }

 private:
  [[nodiscard]] static std::string bytes(const json& message) {
    std::string written;
    json::to_msgpack(message, written);
    return written;
  }
  void add_members(json& what) {
    if (!what.is_structured()) return;
    for (auto& part : what) add_members(part);
    static const std::array<json, 5> kMembers{json(7U), json("text"), json(-1.5), json{{"of", {{"its", "own"}}}}, json{nullptr, true, {1, 2}}};
    // one is read before the members that this build knows, one behind them
    if (what.is_object()) what["a_new_one"] = what["zz_new_one"] = kMembers[count_++ % kMembers.size()];
  }

  std::size_t count_ = 0;
};

/// Carries connections to a port of loopback. Each side has a link of its own; a frame is acknowledged to its sender when the other node
/// has all of what was in it: a worker's lease is renewed by what the coordinator has heard.
class Translator {
 public:
  Translator() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    REQUIRE(listener_ >= 0);
    auto address = loopback(0);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_, 64) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread{[this](const std::stop_token& stop) { carry(stop); }};
  }
  ~Translator() {
    thread_.request_stop();
    thread_.join();
    ::close(listener_);
  }
  Translator(const Translator&) = delete;
  Translator& operator=(const Translator&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  void leads_to(std::uint16_t port) { target_ = port; }
  [[nodiscard]] std::size_t translated() const { return translated_; }

 private:
  struct Side {
    struct Carried {
      std::uint64_t came = 0;  // number of a frame that came here
      std::uint64_t left = 0;  // number of the last frame on the other side that has something of it
    };
    int fd = -1;
    std::string line;  // what comes before the frames
    bool frames = false, done = false;
    std::string to_write;
    catena::link::FrameReader reader;
    catena::link::Link link;
    std::uint64_t came = 0, told = 0;  // frames that came here, and that this side was told to have come
    std::vector<Carried> carried;
  };
  struct Pair {
    Side near, far;  // who called, and the coordinator
    Translation translation;
  };

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  void carry(const std::stop_token& stop) {
    std::list<Pair> pairs;
    constexpr int kTickMs = 5;
    while (!stop.stop_requested()) {
      std::vector<pollfd> watches{{listener_, POLLIN, 0}};
      for (const auto& pair : pairs) {
        for (const auto* side : {&pair.near, &pair.far})
          watches.push_back({side->fd, static_cast<short>(side->to_write.empty() ? POLLIN : POLLIN | POLLOUT), 0});
      }
      ::poll(watches.data(), watches.size(), kTickMs);
      for (auto& pair : pairs) {
        read(pair, pair.near, pair.far);
        read(pair, pair.far, pair.near);
        for (auto* side : {&pair.near, &pair.far}) side->done = side->done || !write(*side);
      }
      std::erase_if(pairs, [](Pair& pair) {
        // what the one said last still goes to the other
        const bool over = pair.near.done || (pair.far.done && pair.near.to_write.empty());
        if (over) ::close(pair.near.fd), ::close(pair.far.fd);
        return over;
      });
      if ((watches[0].revents & POLLIN) != 0) accept(pairs);
    }
    for (auto& pair : pairs) ::close(pair.near.fd), ::close(pair.far.fd);
  }

  void read(Pair& pair, Side& from, Side& to) {
    std::array<char, 65536> buffer;
    const auto got = ::recv(from.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) from.done = true;
    if (got <= 0) return;
    std::string_view bytes{buffer.data(), static_cast<std::size_t>(got)};
    if (!from.frames) {
      // the preamble, and the gate's answer to it
      const auto end = bytes.find('\n');
      const auto line = bytes.substr(0, end == std::string_view::npos ? end : end + 1);
      to.to_write += line;
      bytes.remove_prefix(line.size());
      from.frames = end != std::string_view::npos;
    }
    auto frames = from.reader.feed(bytes);
    if (!frames) return void(from.done = true);
    for (auto& frame : *frames) {
      if (frame.number != 0) from.came = frame.number;
      auto messages = from.link.receive(std::move(frame));
      if (!messages) return void(from.done = true);
      for (const auto& message : *messages) {
        to.link.send(pair.translation.of(message));
        constexpr std::size_t kNewKindEvery = 8;
        if (++translated_ % kNewKindEvery == 0) to.link.send(pair.translation.new_kind());
      }
    }
    send(from, to);
    send(to, from);
  }

  /// What waits for `to` leaves, and with it what `to` may be told to have arrived.
  static void send(Side& from, Side& to) {
    for (auto& frame : to.link.outgoing()) {
      if (frame.number != 0) catena::link::append_frame(to.to_write, {frame.number, to.told, frame.ends, std::move(frame.bytes)});
    }
    if (to.link.waiting() == 0) from.carried.push_back({from.came, to.link.sent()});
    auto told = from.told;
    std::erase_if(from.carried, [&](const Side::Carried& one) {
      if (one.left > to.link.acked()) return false;
      told = std::max(told, one.came);
      return true;
    });
    if (told == from.told) return;
    from.told = told;
    catena::link::append_frame(from.to_write, {0, told, true, {}});
  }

  static bool write(Side& side) {
    if (side.to_write.empty()) return true;
    const auto put = ::send(side.fd, side.to_write.data(), side.to_write.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put > 0) side.to_write.erase(0, static_cast<std::size_t>(put));
    return put >= 0 || errno == EAGAIN;
  }

  void accept(std::list<Pair>& pairs) const {
    const int near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (near < 0) return;
    const int far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(target_);
    if (::connect(far, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      ::close(far);
      ::close(near);
      return;
    }
    pairs.emplace_back();
    pairs.back().near.fd = near;
    pairs.back().far.fd = far;
  }

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::uint16_t> target_{0};
  std::atomic<std::size_t> translated_{0};
  std::jthread thread_;
};

/// One for each worker and one for the clients.
class Translators : public Network {
 public:
  explicit Translators(std::size_t workers) {
    for (std::size_t i = 0; i <= workers; ++i) translators_.push_back(std::make_unique<Translator>());
  }
  Words at(std::size_t) const override { return {}; }
  std::string listen() const override { return address_.empty() ? "127.0.0.1:0" : address_; }
  void coordinator_listens(const std::string& address) override {
    address_ = address;
    for (auto& one : translators_) one->leads_to(static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1))));
  }
  std::string coordinator_seen_from(std::size_t node) const override { return "127.0.0.1:" + std::to_string(translators_.at(node)->port()); }
  [[nodiscard]] std::size_t translated(std::size_t node) const { return translators_.at(node)->translated(); }

  void cut(std::size_t) override { no_trouble(); }
  void stall_one_way(std::size_t, Way) override { no_trouble(); }
  void slow(std::size_t) override { no_trouble(); }
  void half_open(std::size_t) override { no_trouble(); }
  void heal(std::size_t) override { no_trouble(); }

 private:
  static void no_trouble() { FAIL("this network knows no trouble"); }
  std::vector<std::unique_ptr<Translator>> translators_;
  std::string address_;
};

}  // namespace cluster_test
