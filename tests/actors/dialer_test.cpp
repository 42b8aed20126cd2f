// The dialer by itself: what it refuses to dial, what it says of a coordinator that is not there, and who may use it.
#include "actors/dialer.hpp"

#include <cstdlib>

#include "tests/actors/gate_scene.hpp"

namespace links_test {
namespace {

std::unique_ptr<Dialer> open(DialerOptions options) {
  auto opened = Dialer::open(std::move(options));
  if (!opened) FAIL(opened.error().message);
  return std::move(*opened);
}

std::string words_of(Dialer& dialer) {
  auto call = Socket::to(dialer.port());
  CHECK(call.closes());
  REQUIRE(eventually([&] { return dialer.last_error().has_value(); }));
  return dialer.last_error()->message;
}

}  // namespace

TEST_CASE("no token goes over a network in the open unless somebody said so", "[dialer]") {
  for (const std::string address : {"10.1.2.3:7420", "[2001:db8::1]:7420", "0.0.0.0:7420", "[::ffff:10.1.2.3]:7420"}) {
    DialerOptions options;
    options.coordinator = address;
    options.token = "s3cret";
    const auto refused = Dialer::open(options);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::usage);
    check_says(refused.error().message, "--insecure-link");
    options.plain = PlainLink::anywhere;
    CHECK(Dialer::open(options));
  }
  for (const std::string address : {"127.0.0.1:7420", "127.9.9.9:7420", "[::1]:7420", "[::ffff:127.0.0.1]:7420", "localhost:7420"}) {
    DialerOptions options;
    options.coordinator = address;
    CHECK(Dialer::open(options));
  }
}

TEST_CASE("a dialer does not open on what cannot work, and says why", "[dialer]") {
  const Trust trust;
  const auto refused = [](const DialerOptions& options, Code code, const std::string& part) {
    const auto opened = Dialer::open(options);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == code);
    check_says(opened.error().message, part);
  };
  DialerOptions good;
  good.coordinator = "127.0.0.1:7420";
  good.tls = trust.files("w", NodeRole::worker);
  CHECK(Dialer::open(good));
  auto options = good;
  options.coordinator = "somewhere";
  refused(options, Code::usage, "host:port");
  options = good;
  options.coordinator = "127.0.0.1:0";
  refused(options, Code::usage, "no port");
  options = good;
  options.token = "two words";
  refused(options, Code::usage, "token");
  options = good;
  options.tls->ca = "/nonexistent";
  refused(options, Code::file_unreadable, "/nonexistent");
  options = good;
  options.role = "client";
  refused(options, Code::file_unreadable, "this node needs 'client'");
}

TEST_CASE("a coordinator that is not there, has no name, or stays silent is named with what was tried", "[dialer]") {
  DialerOptions options;
  {
    const Listener gone;
    options.coordinator = "127.0.0.1:" + std::to_string(gone.port());
  }
  const auto absent = open(options);
  check_says(words_of(*absent), options.coordinator + " is not to be reached");
  CHECK(absent->last_error()->code == Code::connection_failed);

  options.coordinator = "no-such-host.invalid:7420";
  options.connect_max = Millis{2'000};
  const auto nameless = open(options);
  check_says(words_of(*nameless), "no-such-host.invalid");

  const Listener mute;
  options.coordinator = "127.0.0.1:" + std::to_string(mute.port());
  options.connect_max = Millis{50};
  const auto unheard = open(options);
  check_says(words_of(*unheard), "did not let us in within 50ms (it was still waiting for its word)");

  const Trust trust;
  options.tls = trust.files("w", NodeRole::worker);
  const auto unsecured = open(options);
  check_says(words_of(*unsecured), "(it was still speaking TLS)");
}

TEST_CASE("a name is looked up at each dial", "[dialer]") {
  const Listener listener;
  DialerOptions options;
  options.coordinator = "localhost:" + std::to_string(listener.port());
  const auto dialer = open(options);
  auto call = Socket::to(dialer->port());
  auto heard = listener.accept();
  CHECK(heard.line() == "catena/1 worker -\n");
  heard.send("ok 0123\nfrom the far side");
  CHECK(call.receive() == "from the far side");
  CHECK(dialer->pass() == "0123");
}

TEST_CASE("an answer that is none lets nobody in", "[dialer]") {
  for (const std::string answer : {"HTTP/1.1 400 Bad Request\r\n", "hello\n", "ok\n", "no\n", "\x15\x03\x03"}) {
    const Listener listener;
    DialerOptions options;
    options.coordinator = "127.0.0.1:" + std::to_string(listener.port());
    const auto dialer = open(options);
    auto call = Socket::to(dialer->port());
    auto heard = listener.accept();
    CHECK(heard.line() == "catena/1 worker -\n");
    heard.send(answer + "must not arrive");
    CHECK(call.rest().empty());
    REQUIRE(eventually([&] { return dialer->last_error().has_value(); }));
    CHECK(dialer->pass().empty());
  }
}

TEST_CASE("another process cannot use a dialer and what it has", "[dialer]") {
  const Listener listener;
  DialerOptions options;
  options.coordinator = "127.0.0.1:" + std::to_string(listener.port());
  const auto dialer = open(options);
  const auto line = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(dialer->port()) + "; cat <&3'";
  CHECK(std::system(line.c_str()) == 0);
  REQUIRE(eventually([&] { return dialer->last_error().has_value(); }));
  check_says(dialer->last_error()->message, "another process");
  // the listener was never called
  pollfd watch{listener.fd(), POLLIN, 0};
  CHECK(::poll(&watch, 1, 0) == 0);
}

}  // namespace links_test
