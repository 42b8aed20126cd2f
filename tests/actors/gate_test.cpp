// The link gate and the dialer on loopback: who comes through, and who does not and is told why.
#include "actors/gate.hpp"

#include <optional>

#include "actors/dialer.hpp"
#include "actors/preamble.hpp"
#include "tests/actors/gate_scene.hpp"
#include "tests/actors/tls_peer.hpp"

namespace links_test {

TEST_CASE("a node of the cluster is let in, and large data goes both ways unchanged", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto dialer = scene.dialer(*gate);
    const auto sent = sample(24U << 20U);
    auto call = Socket::to(dialer->port());
    std::thread writer{[&] {
      call.send(sent);
      call.finish();
    }};
    const auto got = call.rest();
    writer.join();
    CHECK(got.size() == sent.size());
    CHECK(got == sent);
    CHECK(scene.echo.connections() == 1);
    CHECK(gate->counters().admitted == 1);
    CHECK_FALSE(dialer->last_error());
    CHECK(eventually([&] { return gate->counters().open == 0; }));
  }
}

TEST_CASE("the gate knows who has a pass as long as the connection lasts, and the dialer its own", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const auto gate = scene.gate();
    const auto dialer = scene.dialer(*gate);
    CHECK(dialer->pass().empty());
    auto call = Socket::to(dialer->port());
    call.send("hello");
    CHECK(call.receive() == "hello");
    const auto pass = dialer->pass();
    CHECK(pass.size() == 32);
    const auto peer = gate->peer(pass);
    REQUIRE(peer);
    CHECK(peer->role == "worker");
    CHECK(peer->subject == (wire == Wire::tls ? "w1" : ""));
    CHECK(peer->address.starts_with("127.0.0.1:"));
    CHECK_FALSE(gate->peer(""));
    CHECK_FALSE(gate->peer(std::string(32, '0')));
    auto other = Socket::to(dialer->port());
    other.send("x");
    CHECK(other.receive() == "x");
    CHECK(dialer->pass() != pass);
    CHECK(gate->peer(pass));
    call.close();
    CHECK(eventually([&] { return !gate->peer(pass); }));
    other.close();
    CHECK(eventually([&] { return dialer->pass().empty(); }));
    CHECK(gate->counters().waiting == 0);
  }
}

TEST_CASE("one direction may end before the other", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const Listener far;
    auto options = scene.gate_options();
    options.forward_port = far.port();
    const auto gate = Scene::open(options);
    const auto dialer = scene.dialer(*gate);
    auto call = Socket::to(dialer->port());
    auto behind = far.accept();
    call.send("question");
    call.finish();
    CHECK(behind.rest() == "question");
    behind.send("answer");
    behind.finish();
    CHECK(call.rest() == "answer");
    CHECK(eventually([&] { return gate->counters().open == 0; }));
  }
}

TEST_CASE("a reset of either side ends both", "[gate]") {
  for (const auto wire : {Wire::plain, Wire::tls}) {
    Scene scene{wire};
    const Listener far;
    auto options = scene.gate_options();
    options.forward_port = far.port();
    // a plain link hands a reset on as an end
    options.limits.half_closed_max = Millis{20};
    const auto gate = Scene::open(options);
    auto dialling = scene.dialer_options(*gate);
    dialling.half_closed_max = Millis{20};
    const auto dialer = Scene::open(dialling);
    auto first = Socket::to(dialer->port());
    auto behind_first = far.accept();
    first.send("x");
    CHECK(behind_first.receive() == "x");
    first.reset();
    CHECK(behind_first.closes());
    auto second = Socket::to(dialer->port());
    auto behind_second = far.accept();
    behind_second.reset();
    CHECK(second.closes());
    CHECK(eventually([&] { return gate->counters().open == 0; }));
  }
}

TEST_CASE("when one direction has ended the other is closed soon, though it never ends by itself", "[gate]") {
  Scene scene;
  const Listener far;
  auto options = scene.gate_options();
  options.forward_port = far.port();
  options.limits.half_closed_max = Millis{20};
  const auto gate = Scene::open(options);
  const auto dialer = scene.dialer(*gate);
  auto call = Socket::to(dialer->port());
  auto behind = far.accept();
  call.finish();
  CHECK(behind.closes());
  CHECK(call.closes());
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
    auto call = Socket::to(dialer->port());
    call.send("x");
    CHECK(call.receive() == "x");
    CHECK_FALSE(dialer->last_error());
    dialer->set_token("another");
    CHECK(refused_by(*dialer).details == Json{{"refused", "token"}});
    call.send("y");
    CHECK(call.receive() == "y");
  }
}

TEST_CASE("a certificate admits its own role alone", "[gate]") {
  Scene scene;
  const auto gate = scene.gate();
  for (const auto role : {NodeRole::client, NodeRole::coordinator}) {
    TlsPeerSocket peer{gate->port(), scene.trust.files("n", role)};
    REQUIRE(peer.handshake());
    peer.send("catena/1 worker s3cret\nnot to arrive");
    check_says(peer.line(), "no role the certificate of 'n' has the role '" + std::string{name(role)} + "'");
  }
  TlsPeerSocket odd{gate->port(), scene.trust.files("c", NodeRole::coordinator)};
  REQUIRE(odd.handshake());
  odd.send("catena/1 coordinator s3cret\n");
  check_says(odd.line(), "no role");
  CHECK(refusals(*gate, "role") == 3);
  CHECK(scene.echo.connections() == 0);
  TlsPeerSocket right{gate->port(), scene.trust.files("n", NodeRole::client)};
  REQUIRE(right.handshake());
  right.send("catena/1 client s3cret\nat once");
  const auto answer = right.line();
  CHECK(answer.starts_with("ok "));
  CHECK(gate->peer(answer.substr(3, 32)).value().role == "client");
  CHECK(right.receive(7) == "at once");
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
  without.send("catena/1 worker s3cret\n");
  CHECK(without.line().empty());
  CHECK(scene.lines.wait_for("(certificate): it has no certificate"));

  auto old_options = scene.gate_options();
  old_options.tls = old.files("gate", NodeRole::coordinator);
  const auto old_gate = Scene::open(old_options);
  const auto past = today() - 100 * kDay;
  TlsPeerSocket late{old_gate->port(), old.files("late", NodeRole::worker, past, 10), past};
  static_cast<void>(late.handshake());
  late.send("catena/1 worker s3cret\n");
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
    auto call = Socket::to(dialer->port());
    TlsPeerSocket imposter{listener.accept(), files};
    static_cast<void>(imposter.handshake());
    CHECK(imposter.line().empty());
    CHECK(call.closes());
    REQUIRE(eventually([&] { return dialer->last_error().has_value(); }));
    check_says(dialer->last_error()->message, "certificate");
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
  auto call = Socket::to(dialer->port());
  call.send("x");
  REQUIRE(call.receive() == "x");
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
  CHECK(call.receive() == "y");
  fs::remove(folder / "gate.pem");
  auto again = Socket::to(gate->port());
  CHECK(again.closes());
  folder.write("gate.pem", next.certificate);
  CHECK(serial() == "gate-2");
}

TEST_CASE("when nobody answers behind the gate, who comes is told to come again", "[gate]") {
  Scene scene;
  auto options = scene.gate_options();
  {
    const Listener gone;
    options.forward_port = gone.port();
  }
  const auto gate = Scene::open(options);
  const auto dialer = scene.dialer(*gate);
  const auto error = refused_by(*dialer);
  CHECK(error.details == Json{{"refused", "down"}});
  gate->set_forward_port(scene.echo.port());
  auto call = Socket::to(dialer->port());
  call.send("x");
  CHECK(call.receive() == "x");
}

TEST_CASE("gate and dialer close with whatever is under way", "[gate]") {
  Scene scene;
  auto gate = scene.gate();
  auto dialer = scene.dialer(*gate);
  auto call = Socket::to(dialer->port());
  call.send("x");
  REQUIRE(call.receive() == "x");
  auto silent = Socket::to(gate->port());
  TlsPeerSocket shaken{gate->port(), scene.trust.files("w", NodeRole::worker)};
  REQUIRE(shaken.handshake());
  REQUIRE(eventually([&] { return gate->counters().open == 3; }));
  gate.reset();
  CHECK(call.closes());
  CHECK(silent.closes());
  CHECK(shaken.line().empty());
  const Listener mute;
  auto options = scene.dialer_options(*scene.gate());
  options.coordinator = "127.0.0.1:" + std::to_string(mute.port());
  dialer = Scene::open(options);
  auto waiting = Socket::to(dialer->port());
  auto heard = mute.accept();
  dialer.reset();
  CHECK(waiting.closes());
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
  refused([&](auto& o) { o.tls = scene.trust.files("w", NodeRole::worker); }, Code::file_unreadable, "'worker'");
  refused([](auto& o) { o.token = "two words"; }, Code::usage, "token");
  auto anywhere = scene.gate_options();
  anywhere.listen = "0.0.0.0:0";
  anywhere.tls.reset();
  anywhere.plain = PlainLink::anywhere;
  CHECK(GateServer::open(anywhere));
}

}  // namespace links_test
