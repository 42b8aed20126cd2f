// What arrives at the gate and is none of the cluster's does no harm: silence, garbage, crowds and floods.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>

#include "link/gate.hpp"
#include "link/preamble.hpp"
#include "tests/link/gate_scene.hpp"
#include "tests/link/tls_peer.hpp"

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
    slow.send(wire == Wire::tls ? std::string{"\x16\x03\x01\x02\x00\x01\x00\x01", 8} : std::string{"catena/2 wor"});
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
        "catena/2 worker " + std::string(600, 't') + "\n",
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
    Call call{*dialer};
    call.send("still there");
    CHECK(call.receive(11) == "still there");
  }
}

TEST_CASE("a first byte is due before the rest", "[gate]") {
  Scene scene{Wire::plain};
  auto options = scene.gate_options();
  options.limits.first_byte_max = Millis{20};
  const auto gate = Scene::open(options);
  auto silent = Socket::to(gate->port());
  CHECK(silent.closes());
  CHECK(eventually([&] { return refusals(*gate, "silent") == 1; }));
  CHECK(scene.lines.wait_for("it said nothing within 20ms"));
}

TEST_CASE("when the gate is full, whoever has waited longest without saying who it is makes room", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    auto options = scene.gate_options();
    options.limits.waiting_max = 2;
    options.limits.first_byte_max = options.limits.admission_max;
    const auto gate = Scene::open(options);
    auto one = Socket::to(gate->port());
    auto two = Socket::to(gate->port());
    REQUIRE(eventually([&] { return gate->counters().waiting == 2; }));
    two.send("c");
    auto three = Socket::to(gate->port());
    CHECK(one.closes());
    REQUIRE(eventually([&] { return gate->counters().accepted == 3; }));
    CHECK(eventually([&] { return gate->counters().waiting == 2; }));
    const auto dialer = scene.dialer(*gate);
    Call call{*dialer};  // in the place of the second
    CHECK(two.closes());
    CHECK(refusals(*gate, "busy") == 2);
    call.send("x");
    CHECK(call.receive(1) == "x");
  }
}

TEST_CASE("shares of an address hold for strangers, and not where somebody was admitted before", "[gate]") {
  Scene scene;
  auto options = scene.gate_options();
  options.limits.waiting_per_address_max = 1;
  const auto gate = Scene::open(options);
  const auto hello = client_hello(scene.trust.files("w", NodeRole::worker));
  auto silent = Socket::to(gate->port());
  REQUIRE(eventually([&] { return gate->counters().waiting == 1; }));
  auto first = Socket::to(gate->port());  // in the place of the one that says nothing
  CHECK(silent.closes());
  first.send(hello);
  CHECK_FALSE(first.receive(1).empty());
  auto second = Socket::to(gate->port());
  CHECK(second.closes());
  CHECK(refusals(*gate, "busy") == 2);
  first.close();
  REQUIRE(eventually([&] { return gate->counters().waiting == 0; }));
  const auto dialer = scene.dialer(*gate);
  Call call{*dialer};
  auto third = Socket::to(gate->port());
  third.send(hello);
  CHECK_FALSE(third.receive(1).empty());
  const auto again = scene.dialer(*gate);
  Call other{*again};
  CHECK(refusals(*gate, "busy") == 2);
}

TEST_CASE("what is over a limit is turned away, and there is room again when others leave", "[gate]") {
  Scene scene{Wire::plain};
  auto options = scene.gate_options();
  options.limits.connections_max = 1;
  const auto gate = Scene::open(options);
  {
    const auto dialer = scene.dialer(*gate);
    Call call{*dialer};
    auto other = Socket::to(gate->port());
    CHECK(other.line() == "no busy there are too many connections\n");
    CHECK(other.closes());
  }
  REQUIRE(eventually([&] { return gate->counters().open == 0; }));
  auto third = Socket::to(gate->port());
  third.send("catena/2 worker s3cret\n");
  CHECK(third.line() == "ok\n");
}

TEST_CASE("a crowd that says nothing locks nobody out", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    auto options = scene.gate_options();
    options.limits.waiting_per_address_max = options.limits.waiting_max;  // as from many addresses
    const auto gate = Scene::open(options);
    std::vector<Socket> crowd;
    for (int times = 0; times < 600; ++times) crowd.push_back(Socket::to(gate->port()));
    for (int times = 0; times < 20; ++times) {
      const auto dialer = scene.dialer(*gate);
      Call call{*dialer};
      call.send("x");
      CHECK(call.receive(1) == "x");
    }
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
        const std::vector<std::string> says{"", "catena/2 worker wrong\n", hello, hello.substr(0, 40), sample(300)};
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
  peer.send("catena/2 client s3cret\n");
  CHECK(peer.line() == "ok\n");
}

}  // namespace links_test
