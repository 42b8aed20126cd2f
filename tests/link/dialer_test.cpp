// The dialer by itself: what it refuses to dial, and what it says of a coordinator that is not there.
#include "link/dialer.hpp"

#include "tests/link/gate_scene.hpp"

namespace links_test {
namespace {

std::unique_ptr<Dialer> open(DialerOptions options) {
  auto opened = Dialer::open(std::move(options));
  if (!opened) FAIL(opened.error().message);
  return std::move(*opened);
}

std::string words_of(Dialer& dialer) { return refused_by(dialer).message; }

/// What a listener hears of a dialer, and what comes of that when it answers so.
struct Answered {
  std::string heard;
  Result<LinePtr> line = nullptr;
};
Answered answer(Dialer& dialer, const Listener& listener, const std::string& words) {
  Answered answered;
  std::promise<Result<LinePtr>> told;
  dialer.dial([&](Result<LinePtr> line) { told.set_value(std::move(line)); });
  auto peer = listener.accept();
  answered.heard = peer.line();
  peer.send(words);
  answered.line = told.get_future().get();
  return answered;
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
  refused(options, Code::field_value, "and this node is a client: `catena cert issue --role client` makes another");
}

TEST_CASE("a coordinator that is not there, has no name, or stays silent is named with what was tried", "[dialer]") {
  DialerOptions options;
  {
    const Listener gone;
    options.coordinator = "127.0.0.1:" + std::to_string(gone.port());
  }
  const auto absent = open(options);
  check_says(words_of(*absent), options.coordinator + " is not to be reached");
  CHECK(refused_by(*absent).code == Code::connection_failed);

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
  for (int times = 0; times < 2; ++times) {
    const auto answered = answer(*dialer, listener, "ok\n");
    CHECK(answered.heard == "catena/2 worker -\n");
    CHECK(answered.line);
  }
}

TEST_CASE("an answer that is none lets nobody in", "[dialer]") {
  for (const std::string words : {"HTTP/1.1 400 Bad Request\r\n", "hello\n", "ok 0123\n", "no\n", "\x15\x03\x03"}) {
    const Listener listener;
    DialerOptions options;
    options.coordinator = "127.0.0.1:" + std::to_string(listener.port());
    const auto dialer = open(options);
    const auto answered = answer(*dialer, listener, words + "must not arrive");
    CHECK(answered.heard == "catena/2 worker -\n");
    CHECK_FALSE(answered.line);
  }
}

TEST_CASE("a call that is given up ends at once, whatever the other side does", "[dialer]") {
  const Listener mute;
  DialerOptions options;
  options.coordinator = "127.0.0.1:" + std::to_string(mute.port());
  const auto dialer = open(options);
  std::promise<Result<LinePtr>> told;
  dialer->dial([&](Result<LinePtr> line) { told.set_value(std::move(line)); });
  const auto heard = mute.accept();
  dialer->hang_up();
  const auto line = told.get_future().get();
  REQUIRE_FALSE(line);
  CHECK(line.error().code == Code::connection_failed);
}

}  // namespace links_test
