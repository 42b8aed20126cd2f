// The link gate and the dialer on loopback: who comes through, and who does not and is told why.
#include "link/gate.hpp"

#include <array>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "link/dialer.hpp"
#include "link/preamble.hpp"
#include "tests/link/gate_scene.hpp"
#include "tests/link/tls_peer.hpp"

namespace links_test {

/// A peer that is nothing but its socket, once it was let in as a worker.
static Socket let_in(const GateServer& gate, const Echo& echo) {
  auto peer = Socket::to(gate.port());
  peer.send("catena/2 worker s3cret\n");
  REQUIRE(peer.line() == "ok\n");
  REQUIRE(eventually([&] { return echo.connections() == 1; }));
  return peer;
}

TEST_CASE("a node of the cluster is let in, and large data goes both ways unchanged", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto dialer = scene.dialer(*gate);
    const auto sent = sample(2U << 20U);
    Call call{*dialer};
    std::string got;
    for (int times = 0; times < 12; ++times) {
      call.send(sent);
      got = call.receive(sent.size());
      CHECK(got.size() == sent.size());
    }
    CHECK(got == sent);
    CHECK(scene.echo.connections() == 1);
    CHECK(gate->counters().admitted == 1);
    call.end();
    CHECK(eventually([&] { return gate->counters().open == 0; }));
    CHECK(scene.echo.over == 1);
  }
}

TEST_CASE("who is at the other end is known by the gate, with the name in the certificate", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto dialer = scene.dialer(*gate);
    Call call{*dialer};
    call.send("hello");
    CHECK(call.receive(5) == "hello");
    const auto peer = scene.echo.peer();
    CHECK(peer.role == "worker");
    CHECK(peer.subject == (wire == Wire::tls ? "w1" : ""));
    CHECK(peer.address.starts_with("127.0.0.1:"));
    CHECK(gate->counters().waiting == 0);
  }
}

TEST_CASE("what was sent before a line ends arrives, and then its end", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto dialer = scene.dialer(*gate);
    Call call{*dialer};
    call.send("x");
    CHECK(call.receive(1) == "x");
    const auto last = sample(1U << 20U);
    scene.echo.line()->send(frames_of(last));
    scene.echo.line()->end();
    scene.echo.line()->send(frames_of("too late"));
    CHECK(call.closes());
    CHECK(call.receive(last.size()) == last);
    CHECK(eventually([&] { return gate->counters().open == 0; }));
  }
}

TEST_CASE("a new dial takes the place of the line before, and hanging up ends it", "[gate]") {
  Scene scene;
  const auto gate = scene.gate();
  const auto dialer = scene.dialer(*gate);
  Call first{*dialer};
  Call second{*dialer};
  CHECK(first.closes());
  second.send("x");
  CHECK(second.receive(1) == "x");
  dialer->hang_up();
  CHECK(second.closes());
  CHECK(eventually([&] { return gate->counters().open == 0; }));
}

TEST_CASE("a reset of the other side ends the line", "[gate]") {
  Scene scene{Wire::plain};
  const auto gate = scene.gate();
  auto peer = Socket::to(gate->port());
  peer.send("catena/2 worker s3cret\n");
  REQUIRE(peer.line() == "ok\n");
  peer.reset();
  CHECK(eventually([&] { return scene.echo.over == 1; }));
  CHECK(eventually([&] { return gate->counters().open == 0; }));
}

TEST_CASE("who sends what is no frame behind the gate, or more than any window, loses the line and nobody else notices", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto dialer = scene.dialer(*gate);
    Call sound{*dialer};
    sound.send("x");
    REQUIRE(sound.receive(1) == "x");
    const std::string claims_4_gib{"\xff\xff\xff\xff", 4};
    for (const auto& bytes : {claims_4_gib + std::string(17, '\0'), std::string(20, '\0') + "\x08", std::string(4096, '\xff')}) {
      const auto over = scene.echo.over.load();
      if (wire == Wire::plain) {
        auto peer = Socket::to(gate->port());
        peer.send("catena/2 worker s3cret\n" + bytes);
        CHECK(peer.line() == "ok\n");
        CHECK(peer.closes());
      } else {
        TlsPeerSocket peer{gate->port(), scene.trust.files("n", NodeRole::worker)};
        REQUIRE(peer.handshake());
        peer.send("catena/2 worker s3cret\n" + bytes);
        CHECK(peer.line() == "ok\n");
        CHECK(peer.line().empty());
      }
      CHECK(eventually([&] { return scene.echo.over == over + 1; }));
    }
    scene.echo.deaf = true;
    {
      const auto other = scene.dialer(*gate);
      Call flood{*other};
      for (int times = 0; times < 5; ++times) flood.send(sample(1U << 20U));
      CHECK(flood.closes());
    }
    scene.echo.deaf = false;
    sound.send("y");
    CHECK(sound.receive(1) == "y");
  }
}

TEST_CASE("what several threads send to a peer that reads late comes whole, and of each thread in its order", "[gate]") {
  constexpr int kThreads = 3;
  constexpr int kEach = 500;
  const auto wire = GENERATE(Wire::plain, Wire::tls);
  Scene scene{wire};
  const auto gate = scene.gate();
  std::optional<Socket> plain;
  std::optional<TlsPeerSocket> secure;
  if (wire == Wire::plain) {
    plain.emplace(let_in(*gate, scene.echo));
  } else {
    secure.emplace(gate->port(), scene.trust.files("w1", NodeRole::worker));
    REQUIRE(secure->handshake());
    secure->send("catena/2 worker s3cret\n");
    REQUIRE(secure->line() == "ok\n");
    REQUIRE(eventually([&] { return scene.echo.connections() == 1; }));
  }
  const auto line = scene.echo.line();
  const auto words = [](int thread, int number) {
    return std::to_string(thread) + ' ' + std::to_string(number) + std::string(static_cast<std::size_t>(number * 16), '.');
  };
  std::size_t bytes = 0;
  {
    // more than the kernel's buffers, less than the bound of the line
    std::vector<std::jthread> senders;
    for (int thread = 0; thread < kThreads; ++thread) {
      senders.emplace_back([&, thread] {
        for (int number = 0; number < kEach; ++number) line->send(frames_of(words(thread, number)));
      });
      for (int number = 0; number < kEach; ++number) bytes += frame_bytes(words(thread, number)).size();
    }
  }
  FrameReader reader;
  std::array<int, kThreads> next{};
  std::size_t got = 0;
  while (got < bytes) {
    const auto piece = plain ? plain->receive() : secure->receive(64U << 10U);
    REQUIRE_FALSE(piece.empty());
    got += piece.size();
    const auto frames = reader.feed(piece);
    REQUIRE(frames.has_value());
    for (const auto& frame : *frames) {
      const auto thread = static_cast<std::size_t>(frame.bytes.at(0) - '0');
      REQUIRE(frame.bytes == words(static_cast<int>(thread), next.at(thread)++));
    }
  }
  for (const auto count : next) CHECK(count == kEach);
  CHECK(scene.echo.over == 0);
}

TEST_CASE("both ends of a line may send at the same time as they read", "[gate]") {
  constexpr int kTimes = 2'000;
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto dialer = scene.dialer(*gate);
    Call call{*dialer};
    REQUIRE(eventually([&] { return scene.echo.connections() == 1; }));
    const auto word = sample(3'000);
    const std::jthread answers{[&, line = scene.echo.line()] {
      for (int times = 0; times < kTimes; ++times) line->send(frames_of(word));
    }};
    std::size_t got = 0;
    for (int times = 0; times < kTimes; ++times) {
      call.send(word);
      got += call.receive(1).size();
    }
    while (got < 2 * kTimes * word.size()) {
      const auto piece = call.receive(1);
      REQUIRE_FALSE(piece.empty());
      got += piece.size();
    }
    CHECK(got == 2 * kTimes * word.size());
    CHECK(scene.echo.over == 0);
  }
}

TEST_CASE("a gate and a dialer do with threads of somebody else, another one each time, and let go of them when they close", "[gate]") {
  const auto wire = GENERATE(Wire::plain, Wire::tls);
  std::atomic<int> waits = 0;
  std::vector<std::jthread> hosts;
  const WaitElsewhere elsewhere = [&](std::function<bool()> wait) {
    hosts.emplace_back([&waits, wait = std::move(wait)] {
      for (bool goes_on = true; goes_on; ++waits) std::jthread{[&] { goes_on = wait(); }}.join();
    });
    return true;
  };
  {
    Scene scene{wire};
    auto gate_options = scene.gate_options();
    gate_options.elsewhere = elsewhere;
    const auto gate = scene.open(std::move(gate_options));
    auto dialer_options = scene.dialer_options(*gate);
    dialer_options.elsewhere = elsewhere;
    const auto dialer = scene.open(std::move(dialer_options));
    Call call{*dialer};
    const auto word = sample(100'000);
    std::string got;
    call.send(word);
    while (got.size() < word.size()) {
      const auto piece = call.receive(1);
      REQUIRE_FALSE(piece.empty());
      got += piece;
    }
    CHECK(got == word);
  }
  hosts.clear();  // each has ended, or this waits for it
  CHECK(waits > 4);
}

TEST_CASE("who says to have what it does not read loses the line", "[gate]") {
  Scene scene{Wire::plain};
  const auto gate = scene.gate();
  auto peer = let_in(*gate, scene.echo);
  // more than the kernel's buffers and the bound of the line together
  for (int times = 0; times < 64 && scene.echo.over == 0; ++times) scene.echo.line()->send(frames_of(sample(1U << 20U)));
  CHECK(eventually([&] { return scene.echo.over == 1; }));
  CHECK(eventually([&] { return gate->counters().open == 0; }));
}

TEST_CASE("a wrong or missing token is refused with words and reaches nobody; the right one is taken as soon as it is told", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    auto options = scene.dialer_options(*gate);
    options.token = "wrong";
    const auto dialer = Scene::open(options);
    const auto wrong = refused_by(*dialer);
    CHECK(wrong.code == Code::connection_failed);
    CHECK(wrong.details == Json{{"refused", "token"}});
    check_says(wrong.message, "not this cluster's join token");
    options.token = "";
    const auto silent = Scene::open(options);
    check_says(refused_by(*silent).message, "asks for its join token");
    CHECK(refusals(*gate, "token") == 2);
    CHECK(scene.echo.connections() == 0);
    CHECK(scene.lines.all().find("s3cret") == std::string::npos);
    CHECK(scene.lines.all().find("wrong") == std::string::npos);
    gate->set_token("wrong");
    Call call{*dialer};
    call.send("x");
    CHECK(call.receive(1) == "x");
    gate->set_token("another");  // who is in stays
    call.send("y");
    CHECK(call.receive(1) == "y");
    CHECK(refused_by(*dialer).details == Json{{"refused", "token"}});
    dialer->set_token("another");
    Call again{*dialer};
  }
}

TEST_CASE("a certificate admits its own role alone", "[gate]") {
  Scene scene;
  const auto gate = scene.gate();
  for (const auto role : {NodeRole::client, NodeRole::coordinator}) {
    TlsPeerSocket peer{gate->port(), scene.trust.files("n", role)};
    REQUIRE(peer.handshake());
    peer.send("catena/2 worker s3cret\nnot to arrive");
    check_says(peer.line(), "no role the certificate of 'n' has the role '" + std::string{name(role)} + "'");
  }
  TlsPeerSocket odd{gate->port(), scene.trust.files("c", NodeRole::coordinator)};
  REQUIRE(odd.handshake());
  odd.send("catena/2 coordinator s3cret\n");
  check_says(odd.line(), "no role");
  CHECK(refusals(*gate, "role") == 3);
  CHECK(scene.echo.connections() == 0);
  TlsPeerSocket right{gate->port(), scene.trust.files("n", NodeRole::client)};
  REQUIRE(right.handshake());
  const auto at_once = frame_bytes("at once");
  right.send("catena/2 client s3cret\n" + at_once);
  CHECK(right.line() == "ok\n");
  CHECK(right.receive(at_once.size()) == at_once);
  CHECK(scene.echo.peer().role == "client");
}

TEST_CASE("a certificate that is foreign, expired or absent is refused with words, and nothing of it is decoded", "[gate]") {
  Scene scene;
  const Trust foreign;
  const Trust old{today() - 200 * kDay};
  const auto gate = scene.gate();
  auto options = scene.dialer_options(*gate);
  options.tls = scene.trust.files_trusting(scene.trust.authority().certificate, "foreign", foreign.make("foreign", NodeRole::worker));
  const auto dialer = Scene::open(options);
  const auto error = refused_by(*dialer);
  CHECK(error.code == Code::connection_failed);
  check_says(error.message, "not of its cluster's authority");
  CHECK(scene.lines.wait_for("(certificate): its certificate is not of this cluster's authority"));

  TlsPeerSocket without{gate->port(), scene.trust.authority().certificate};
  static_cast<void>(without.handshake());
  without.send("catena/2 worker s3cret\n");
  CHECK(without.line().empty());
  CHECK(scene.lines.wait_for("(certificate): it has no certificate"));

  auto old_options = scene.gate_options();
  old_options.tls = old.files("gate", NodeRole::coordinator);
  const auto old_gate = Scene::open(old_options);
  const auto past = today() - 100 * kDay;
  TlsPeerSocket late{old_gate->port(), old.files("late", NodeRole::worker, past, 10), past};
  static_cast<void>(late.handshake());
  late.send("catena/2 worker s3cret\n");
  CHECK(late.line().empty());
  check_says(late.words(), "it has expired");
  CHECK(scene.lines.wait_for("(certificate): its certificate has expired"));
  CHECK(refusals(*gate, "certificate") == 2);
  CHECK(refusals(*old_gate, "certificate") == 1);
  CHECK(scene.echo.connections() == 0);
}

TEST_CASE("a dialer believes only a coordinator of its cluster, and sends no token to anyone else", "[gate]") {
  Scene scene;
  const Trust foreign;
  for (const auto& files : {foreign.files("gate", NodeRole::coordinator), scene.trust.files("imposter", NodeRole::worker)}) {
    const Listener listener;
    DialerOptions options;
    options.coordinator = "127.0.0.1:" + std::to_string(listener.port());
    options.token = "s3cret";
    options.tls = scene.trust.files("w1", NodeRole::worker);
    const auto dialer = Scene::open(options);
    std::optional<Error> error;
    std::thread caller{[&] { error = refused_by(*dialer); }};
    TlsPeerSocket imposter{listener.accept(), files};
    static_cast<void>(imposter.handshake());
    CHECK(imposter.line().empty());
    caller.join();
    REQUIRE(error);
    check_says(error->message, "certificate");
  }
}

TEST_CASE("plain meets TLS: both sides say so", "[gate]") {
  Scene scene;
  const auto gate = scene.gate();
  auto options = scene.dialer_options(*gate);
  options.tls.reset();
  const auto plain = Scene::open(options);
  check_says(refused_by(*plain).message, "(does it ask for TLS?)");
  Scene bare{Wire::plain};
  const auto plain_gate = bare.gate();
  auto tls_options = bare.dialer_options(*plain_gate);
  tls_options.tls = scene.trust.files("w1", NodeRole::worker);
  const auto dialer = Scene::open(tls_options);
  check_says(refused_by(*dialer).message, "not TLS (is one side plain?)");
}

TEST_CASE("certificates are changed without a restart; a bad file refuses connections and ends nothing", "[gate]") {
  Scene scene;
  const auto gate = scene.gate();
  const auto worker = scene.trust.files("w1", NodeRole::worker);
  const auto& folder = scene.trust.folder();
  const auto serial = [&] {
    TlsPeerSocket peer{gate->port(), worker};
    REQUIRE(peer.handshake());
    return peer.peer_name();
  };
  const auto dialer = scene.dialer(*gate);
  Call call{*dialer};
  call.send("x");
  REQUIRE(call.receive(1) == "x");
  CHECK(serial() == "gate");
  const auto next = scene.trust.make("gate-2", NodeRole::coordinator);
  folder.write("gate.pem", next.certificate);
  folder.write("gate.key", next.key);
  CHECK(serial() == "gate-2");
  folder.write("gate.pem", next.certificate.substr(0, 200));
  auto refused = Socket::to(gate->port());
  CHECK(refused.closes());
  CHECK(scene.lines.wait_for("gate.pem"));
  CHECK(refusals(*gate, "files") == 1);
  call.send("y");
  CHECK(call.receive(1) == "y");
  fs::remove(folder / "gate.pem");
  auto again = Socket::to(gate->port());
  CHECK(again.closes());
  folder.write("gate.pem", next.certificate);
  CHECK(serial() == "gate-2");
}

TEST_CASE("gate and dialer close with whatever is under way", "[gate]") {
  Scene scene;
  auto gate = scene.gate();
  auto dialer = scene.dialer(*gate);
  Call call{*dialer};
  call.send("x");
  REQUIRE(call.receive(1) == "x");
  auto silent = Socket::to(gate->port());
  TlsPeerSocket shaken{gate->port(), scene.trust.files("w", NodeRole::worker)};
  REQUIRE(shaken.handshake());
  REQUIRE(eventually([&] { return gate->counters().open == 3; }));
  gate.reset();
  CHECK(call.closes());
  CHECK(silent.closes());
  CHECK(shaken.line().empty());
  call.send("nobody hears it");
  const Listener mute;
  auto options = scene.dialer_options(*scene.gate());
  options.coordinator = "127.0.0.1:" + std::to_string(mute.port());
  dialer = Scene::open(options);
  std::promise<Result<LinePtr>> told;
  dialer->dial([&](Result<LinePtr> line) { told.set_value(std::move(line)); });
  auto heard = mute.accept();
  dialer.reset();
  CHECK_FALSE(told.get_future().get());
}

TEST_CASE("a gate does not open on what cannot work, and says why", "[gate]") {
  Scene scene;
  const auto refused = [&](const std::function<void(GateOptions&)>& change, Code code, const std::string& part) {
    auto options = scene.gate_options();
    change(options);
    const auto opened = GateServer::open(options);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().code == code);
    check_says(opened.error().message, part);
  };
  const auto gate = scene.gate();
  refused([](auto& o) { o.listen = "nonsense"; }, Code::usage, "host:port");
  refused([&](auto& o) { o.listen = "127.0.0.1:" + std::to_string(gate->port()); }, Code::connection_failed, "cannot listen");
  refused([](auto& o) { o.listen = "0.0.0.0:0", o.tls.reset(); }, Code::usage, "--insecure-link");
  refused([](auto& o) { o.listen = "[::]:0", o.tls.reset(); }, Code::usage, "--insecure-link");
  refused([](auto& o) { o.tls->key = "/nonexistent"; }, Code::file_unreadable, "/nonexistent");
  refused([&](auto& o) { o.tls = scene.trust.files("w", NodeRole::worker); }, Code::field_value,
          "is one of a worker, and this node is a coordinator");
  refused([](auto& o) { o.token = "two words"; }, Code::usage, "token");
  auto anywhere = scene.gate_options();
  anywhere.listen = "0.0.0.0:0";
  anywhere.tls.reset();
  anywhere.plain = PlainLink::anywhere;
  CHECK(GateServer::open(anywhere));
}

}  // namespace links_test
