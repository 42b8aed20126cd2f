// TLS of links in memory: who is believed, what is said of who is not, and files that change under a running process.
#include "link/tls.hpp"

#include "tests/link/trust.hpp"

namespace links_test {
namespace {

using State = TlsSession::State;

std::shared_ptr<const TlsContext> context(const TlsFiles& files, TlsSide side, UnixMillis now = today()) {
  const auto loaded = TlsContext::load(files, side, "", now);
  if (!loaded) FAIL(loaded.error().message);
  return *loaded;
}

struct Ends {
  std::unique_ptr<TlsSession> server;
  std::unique_ptr<TlsSession> client;
  State server_state = State::wants_input;
  State client_state = State::wants_input;

  Ends(const std::shared_ptr<const TlsContext>& a, const std::shared_ptr<const TlsContext>& b)
      : server{TlsSession::begin(a).value()}, client{TlsSession::begin(b).value()} {}

  static void move(TlsSession& from, TlsSession& to) {
    std::string bytes;
    from.take_output(bytes);
    REQUIRE(to.feed(bytes));
  }
  void shake() {
    for (int turn = 0; turn < 4; ++turn) {
      if (client_state == State::wants_input) client_state = client->handshake();
      move(*client, *server);
      if (server_state == State::wants_input) server_state = server->handshake();
      move(*server, *client);
    }
  }
  /// What the client learns when it reads after a handshake that the server did not like.
  std::string client_hears() {
    std::string into(64, ' ');
    std::size_t size = 0;
    CHECK(client->read(into, size) == State::broken);
    return client->words();
  }
};

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  const bool there = text.find(part) != std::string::npos;
  CHECK(there);
  return there;
}

}  // namespace

TEST_CASE("two nodes of a cluster see each other's names and roles, and exchange any amount of bytes") {
  const Trust trust;
  Ends ends{context(trust.files("c", NodeRole::coordinator), TlsSide::server), context(trust.files("w", NodeRole::worker), TlsSide::client)};
  ends.shake();
  REQUIRE(ends.server_state == State::done);
  REQUIRE(ends.client_state == State::done);
  CHECK(ends.server->peer().name == "w");
  CHECK(ends.server->peer().role == "worker");
  CHECK(ends.client->peer().role == "coordinator");
  std::string sent;
  for (std::size_t i = 0; i < 300'000; ++i) sent.push_back(static_cast<char>(i * 7 + i / 251));
  REQUIRE(ends.client->write(sent));
  Ends::move(*ends.client, *ends.server);
  std::string got;
  std::string piece(100'000, ' ');
  std::size_t size = 0;
  while (ends.server->read(piece, size) == State::done) got.append(piece, 0, size);
  CHECK(got == sent);
  ends.client->close();
  Ends::move(*ends.client, *ends.server);
  CHECK(ends.server->read(piece, size) == State::ended);
  // the other direction is still open
  REQUIRE(ends.server->write(std::string{"last"}));
  Ends::move(*ends.server, *ends.client);
  CHECK(ends.client->read(piece, size) == State::done);
  CHECK(piece.substr(0, size) == "last");
}

TEST_CASE("a certificate that has expired, is foreign, or made for the other side is refused, and both are told") {
  const Trust trust;
  const Trust foreign;
  const auto server = context(trust.files("c", NodeRole::coordinator), TlsSide::server);
  const auto past = today() - 100 * kDay;
  struct Case {
    std::shared_ptr<const TlsContext> client;
    std::string here;
    std::string there;
  };
  const Trust old{today() - 200 * kDay};
  const auto old_server = context(old.files("c", NodeRole::coordinator), TlsSide::server);
  const auto expired = context(old.files("w", NodeRole::worker, past, 10), TlsSide::client, past);
  Ends late{old_server, expired};
  late.shake();
  CHECK(late.server_state == State::broken);
  CHECK(late.server->certificate_refused());
  has(late.server->words(), "has expired");
  has(late.client_hears(), "it has expired");

  // trusts the right authority, shows a certificate of another
  const auto stranger = context(trust.files_trusting(trust.authority().certificate, "s", foreign.make("s", NodeRole::worker)), TlsSide::client);
  Ends strange{server, stranger};
  strange.shake();
  CHECK(strange.server_state == State::broken);
  has(strange.server->words(), "not of this cluster's authority");
  has(strange.client_hears(), "not of its cluster's authority");

  const auto worker_as_server = context(trust.files("x", NodeRole::worker), TlsSide::server);
  Ends purpose{worker_as_server, context(trust.files("w", NodeRole::worker), TlsSide::client)};
  purpose.shake();
  CHECK(purpose.client_state == State::broken);
  has(purpose.client->words(), "not made for this side");

  // the client is the one who does not know the server's authority
  Ends deceived{server, context(foreign.files("w", NodeRole::worker), TlsSide::client)};
  deceived.shake();
  CHECK(deceived.client_state == State::broken);
  has(deceived.client->words(), "not of this cluster's authority");
}

TEST_CASE("what is no TLS, and other versions of it, break the session with words") {
  const Trust trust;
  const auto server = context(trust.files("c", NodeRole::coordinator), TlsSide::server);
  for (const std::string& bytes :
       {std::string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n"}, std::string{"catena/1 worker token\n"}, std::string(600, '\0'), std::string(20, '\xff')}) {
    auto session = TlsSession::begin(server).value();
    REQUIRE(session->feed(bytes));
    CHECK(session->handshake() == State::broken);
    CHECK_FALSE(session->certificate_refused());
    CHECK(session->words().size() > 10);
  }
}

TEST_CASE("files that cannot be used are named with what is wrong") {
  const Trust trust;
  const Trust foreign;
  const auto good = trust.files("c", NodeRole::coordinator);
  const auto& folder = trust.folder();
  const auto certificate = folder.read("c.pem");
  const auto key = folder.read("c.key");
  const auto refused = [&](TlsFiles files, const std::string& part, const std::string& file) {
    const auto loaded = TlsContext::load(files, TlsSide::server, "coordinator", today());
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Code::file_unreadable);
    has(loaded.error().message, part);
    has(loaded.error().message, file);
  };
  CHECK(TlsContext::load(good, TlsSide::server, "coordinator", today()));
  refused({folder.file("none"), good.certificate, good.key}, "No such file", "none");
  refused({folder.write("bad", "text"), good.certificate, good.key}, "no certificate in it", "bad");
  const auto& ca = trust.authority().certificate;
  refused({folder.write("cut", ca + ca.substr(0, ca.size() / 2)), good.certificate, good.key}, "cut off", "cut");
  refused({good.certificate, good.certificate, good.key}, "not that of an authority", "c.pem");
  refused({good.ca, folder.write("half.pem", certificate.substr(0, certificate.size() / 2)), good.key}, "whole certificate", "half.pem");
  refused({good.ca, good.certificate, folder.write("half.key", key.substr(0, key.size() / 2))}, "private key", "half.key");
  refused({good.ca, good.certificate, folder.write("empty.key", "")}, "private key", "empty.key");
  refused({good.ca, good.certificate, folder.write("other.key", foreign.make("c", NodeRole::coordinator).key)}, "not the key of", "other.key");
  const auto other_role = TlsContext::load(trust.files("w", NodeRole::worker), TlsSide::server, "coordinator", today());
  REQUIRE_FALSE(other_role);
  CHECK(other_role.error().code == Code::field_value);
  has(other_role.error().message, "w.pem' is one of a worker, and this node is a coordinator");
  const auto late = TlsContext::load(good, TlsSide::server, "coordinator", today() + 31 * kDay);
  REQUIRE_FALSE(late);
  has(late.error().message, "it ended");
}

TEST_CASE("both of two authorities are trusted while they stand in one file") {
  const Trust before;
  const Trust after;
  const auto both = before.authority().certificate + after.authority().certificate;
  const auto server = context(after.files_trusting(both, "c", after.make("c", NodeRole::coordinator)), TlsSide::server);
  for (const Trust* trust : {&before, &after}) {
    Ends ends{server, context(trust->files_trusting(both, "w", trust->make("w", NodeRole::worker)), TlsSide::client)};
    ends.shake();
    CHECK(ends.server_state == State::done);
  }
}

TEST_CASE("a store reads files again when they change, refuses what it cannot use, and recovers") {
  const Trust trust;
  const auto files = trust.files("c", NodeRole::coordinator);
  ManualClock clock{today() + 10'000};
  TlsStore store{files, TlsSide::server, "coordinator", clock};
  const auto first = store.current();
  REQUIRE(first);
  // nothing has changed, so nothing is read
  CHECK(store.current().value().get() == first->get());
  const auto next = trust.make("c", NodeRole::coordinator, today(), 5);
  trust.folder().write("c.pem", next.certificate);
  CHECK_FALSE(store.current());  // its key is still the old one
  trust.folder().write("c.key", next.key);
  const auto second = store.current();
  REQUIRE(second);
  CHECK((*second)->until() < (*first)->until());
  trust.folder().write("c.pem", "");
  CHECK_FALSE(store.current());
  trust.folder().write("c.pem", next.certificate);
  CHECK(store.current());
  clock.advance(Millis{6 * kDay});
  const auto ended = store.current();
  REQUIRE_FALSE(ended);
  has(ended.error().message, "it ended");
}

TEST_CASE("what was written a moment ago is read again even if its times do not show a change") {
  const Trust trust;
  const auto files = trust.files("c", NodeRole::coordinator);
  ManualClock clock{today()};
  TlsStore store{files, TlsSide::server, "coordinator", clock};
  const auto first = store.current();
  REQUIRE(first);
  CHECK(store.current().value().get() != first->get());
}

}  // namespace links_test
