// What arrives at the gate and is none of the cluster's does no harm: silence, garbage, crowds and floods.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>

#include "actors/gate.hpp"
#include "actors/preamble.hpp"
#include "tests/actors/gate_scene.hpp"
#include "tests/actors/tls_peer.hpp"

namespace links_test {
namespace {

int open_descriptors() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator{"/proc/self/fd"}) ++count;
  return count;
}

}  // namespace

TEST_CASE("who says nothing, or not all, is closed at the deadline", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    auto options = scene.gate_options();
    options.limits.admission_max = Millis{50};
    const auto gate = Scene::open(options);
    auto silent = Socket::to(gate->port());
    CHECK(silent.closes());
    auto slow = Socket::to(gate->port());
    // a TLS record that announces more than follows, or a preamble without its end
    slow.send(wire == Wire::tls ? std::string{"\x16\x03\x01\x02\x00\x01\x00\x01", 8} : std::string{"catena/1 wor"});
    CHECK(slow.closes());
    CHECK(eventually([&] { return refusals(*gate, "silent") == 2; }));
    if (wire == Wire::tls) {
      TlsPeerSocket shaken{gate->port(), scene.trust.files("w", NodeRole::worker)};
      // on a slow machine the deadline comes before its end
      static_cast<void>(shaken.handshake());
      CHECK(shaken.line().empty());
      CHECK(eventually([&] { return refusals(*gate, "silent") == 3; }));
    }
    CHECK(eventually([&] { return gate->counters().open == 0; }));
    CHECK(scene.echo.connections() == 0);
  }
}

TEST_CASE("garbage, cut-off handshakes and lines that are too long are refused, and the gate goes on", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    auto options = scene.gate_options();
    options.limits.admission_max = Millis{3'000};
    const auto gate = Scene::open(options);
    const auto hello = client_hello(scene.trust.files("w", NodeRole::worker));
    const std::vector<std::string> garbage{
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        "\n",
        std::string(32, '\0'),
        std::string(4096, 'x'),
        "catena/1 worker " + std::string(600, 't') + "\n",
        sample(100'000),
        hello,
        hello.substr(0, 50),
        std::string{"\x16\x03\x01\xff\xff", 5} + std::string(70'000, '\0'),
        "catena/7 worker s3cret\n",
    };
    for (const auto& bytes : garbage) {
      auto peer = Socket::to(gate->port());
      peer.send(bytes);
      peer.finish();
      CHECK(peer.closes());
    }
    CHECK(eventually([&] { return gate->counters().open == 0; }));
    CHECK(gate->counters().admitted == 0);
    CHECK(scene.echo.connections() == 0);
    const auto dialer = scene.dialer(*gate);
    auto call = Socket::to(dialer->port());
    call.send("still there");
    CHECK(call.receive() == "still there");
  }
}

TEST_CASE("what is over a limit is turned away, and there is room again when others leave", "[gate]") {
  Scene scene{Wire::plain};
  auto options = scene.gate_options();
  options.limits.waiting_max = 2;
  const auto gate = Scene::open(options);
  auto one = Socket::to(gate->port());
  auto two = Socket::to(gate->port());
  REQUIRE(eventually([&] { return gate->counters().waiting == 2; }));
  auto three = Socket::to(gate->port());
  CHECK(three.line() == "no busy there are too many connections\n");
  CHECK(three.closes());
  one.send("catena/1 worker s3cret\n");
  CHECK(one.line().starts_with("ok "));
  REQUIRE(eventually([&] { return gate->counters().waiting == 1; }));
  auto four = Socket::to(gate->port());
  four.send("catena/1 worker s3cret\n");
  CHECK(four.line().starts_with("ok "));
  CHECK(refusals(*gate, "busy") == 1);

  for (const auto set : {&GateLimits::connections_max, &GateLimits::connections_per_address_max, &GateLimits::waiting_per_address_max}) {
    auto tight = scene.gate_options();
    tight.limits.*set = 1;
    const auto other = Scene::open(tight);
    {
      auto first = Socket::to(other->port());
      REQUIRE(eventually([&] { return other->counters().open == 1; }));
      auto second = Socket::to(other->port());
      CHECK(second.line().starts_with("no busy"));
    }
    REQUIRE(eventually([&] { return other->counters().open == 0; }));
    auto third = Socket::to(other->port());
    third.send("catena/1 worker s3cret\n");
    CHECK(third.line().starts_with("ok "));
  }
}

TEST_CASE("a flood of 500 connections leaves descriptors and memory as they were", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto hello = client_hello(scene.trust.files("w", NodeRole::worker));
    std::uint64_t came = 0;
    const auto flood = [&] {
      came += 500;
      std::vector<Socket> crowd;
      for (int i = 0; i < 500; ++i) {
        crowd.push_back(Socket::to(gate->port()));
        const std::vector<std::string> says{"", "catena/1 worker wrong\n", hello, hello.substr(0, 40), sample(300)};
        crowd.back().send(says.at(static_cast<std::size_t>(i) % says.size()));
      }
      REQUIRE(eventually([&] { return gate->counters().accepted == came; }));
      CHECK(gate->counters().waiting <= 64);
      crowd.clear();
      REQUIRE(eventually([&] { return gate->counters().open == 0; }));
    };
    flood();
    const int descriptors = open_descriptors();
    const auto memory = ::mallinfo2().uordblks;
    flood();
    flood();
    CHECK(open_descriptors() <= descriptors);
    CHECK(::mallinfo2().uordblks < memory + (512U << 10U));  // sanitizers have an allocator of their own: there this says nothing
    CHECK(scene.echo.connections() == 0);
    // refusals are counted, not all written down
    const auto lines = scene.lines.all();
    CHECK(std::count(lines.begin(), lines.end(), '\n') < 1'000);
  }
}

TEST_CASE("without descriptors the gate rests, and goes on when there are some", "[gate]") {
  Scene scene{Wire::plain};
  const auto gate = scene.gate();
  Socket peer;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{static_cast<rlim_t>(peer.fd()) + 1, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool connected = peer.connect(gate->port());
  const bool rested = scene.lines.wait_for("the gate rests");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  REQUIRE(connected);
  CHECK(rested);
  peer.send("catena/1 client s3cret\nx");
  CHECK(peer.line().starts_with("ok "));
  CHECK(peer.receive() == "x");
}

}  // namespace links_test
