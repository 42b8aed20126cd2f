// Who may call which route: each route with each kind of token.
#include "api/access.hpp"

#include <set>

#include "api/reach.hpp"

#include "tests/api/issuer.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

constexpr std::string_view kSecret = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

std::string id_of(int number) { return fmt::format("{:012x}", number); }

storage::AccessToken token(int number, storage::TokenRole role, UnixMillis expires_at = 0, UnixMillis revoked_at = 0) {
  return {id_of(number), "", role, coordinator::token_digest(kSecret), kNow - 1000, expires_at, revoked_at};
}

coordinator::TokenBook book() {
  storage::AccessTokens tokens;
  auto of_a = [](int number, storage::TokenRole role) {
    auto one = token(number, role);
    one.namespace_ = "team-a";
    return one;
  };
  for (const auto& one : {of_a(6, storage::TokenRole::viewer), of_a(7, storage::TokenRole::operator_), of_a(8, storage::TokenRole::admin),
                          token(1, storage::TokenRole::viewer), token(2, storage::TokenRole::operator_), token(3, storage::TokenRole::admin),
                          token(4, storage::TokenRole::admin, kNow - 1), token(5, storage::TokenRole::admin, 0, kNow - 1)})
    tokens[one.id] = one;
  return coordinator::TokenBook{std::move(tokens)};
}

const RolesByName kCertificates{{"ann", {storage::TokenRole::admin}},        {"ops-*", {storage::TokenRole::operator_}},
                                {"ops-see-*", {storage::TokenRole::viewer}}, {"ops-1", {storage::TokenRole::admin}},
                                {"dash", {storage::TokenRole::viewer}},      {"team-a", {storage::TokenRole::admin, "team-a"}}};

/// The status, 200 where the request may go on.
int status_of(const Route& route, const std::string& authorization, const std::string& certificate = {}, bool tokens = true,
              const Issuer* of = nullptr, UnixMillis now = kNow) {
  auto made = request(std::string{name(route.verb)}, std::string{route.path});
  if (!authorization.empty()) made.headers["authorization"] = authorization;
  made.certificate = certificate;
  const auto known = book();
  const auto may = check_access(made, route, {.tokens = tokens ? &known : nullptr, .certificates = kCertificates, .issuer = of}, now);
  if (may) return 200;
  const auto answer = to_answer(may.error());
  CHECK(fits(parsed(answer), "Problem"));
  if (answer.status == 401) {
    const auto asks = std::ranges::find(answer.headers, "WWW-Authenticate", [](const auto& header) { return header.first; });
    REQUIRE(asks != answer.headers.end());
    CHECK(asks->second.starts_with("Bearer"));
  }
  return answer.status;
}

const TestIssuer& test_issuer() {
  static const TestIssuer one;
  return one;
}

/// Who is asked for the keys of tokens that have none of these.
Issuer accepted_issuer(UnixMillis keys_at = kNow) {
  auto roles =
      roles_by_name({{"look", "viewer"}, {"ops", "operator"}, {"root", "admin"}, {"web", "operator@web-shop"}, {"cms", "operator@cms"}}, "o");
  Issuer made{{{TestIssuer::kName, TestIssuer::kAudience, Millis{30'000}}, "groups", roles.value()}, std::make_shared<KeyRing>()};
  made.ring->publish(read_key_set(test_issuer().key_set()).value(), keys_at);
  return made;
}

std::string bearer_of(const Json& claims, const std::string& alg = "ES256") { return "Bearer " + test_issuer().sign(claims, alg); }

std::string bearer(int number) { return "Bearer " + coordinator::token_text(id_of(number), kSecret); }

}  // namespace

TEST_CASE("each route is open to those whose token has its role or one above it, and to nobody else") {
  for (const auto& route : routes()) {
    CAPTURE(name(route.verb), route.path, name(route.role));
    const bool open = route.role == Role::anyone;
    for (const auto& shown : {std::string{}, std::string{"Basic YTpi"}, std::string{"Bearer "}, std::string{"Bearer rubbish"}, bearer(4), bearer(5),
                              bearer(9), bearer(1) + "0", "Bearer " + coordinator::token_text(id_of(3), std::string(64, '0'))}) {
      CAPTURE(shown);
      CHECK(status_of(route, shown) == (open ? 200 : 401));
    }
    CHECK(status_of(route, bearer(1)) == (route.role <= Role::viewer ? 200 : 403));
    CHECK(status_of(route, bearer(2)) == (route.role <= Role::operate ? 200 : 403));
    CHECK(status_of(route, bearer(3)) == 200);
  }
}

TEST_CASE("each route is open to those whose certificate has its role or one above it, and to nobody else") {
  for (const auto& route : routes()) {
    CAPTURE(name(route.verb), route.path, name(route.role));
    const auto up_to = [&](Role role) { return route.role <= role ? 200 : 403; };
    const bool open = route.role == Role::anyone;
    for (const bool tokens : {true, false}) {
      CAPTURE(tokens);
      CHECK(status_of(route, {}, "dash", tokens) == up_to(Role::viewer));
      CHECK(status_of(route, {}, "ops-2", tokens) == up_to(Role::operate));
      CHECK(status_of(route, {}, "ops-see-2", tokens) == up_to(Role::viewer));
      CHECK(status_of(route, {}, "ops-1", tokens) == up_to(Role::admin));
      CHECK(status_of(route, {}, "ann", tokens) == up_to(Role::admin));
      for (const std::string stranger : {"", "bob", "ops", "annn", "*", "ops-*"}) {
        CAPTURE(stranger);
        CHECK(status_of(route, {}, stranger, tokens) == (open ? 200 : stranger == "ops-*" ? up_to(Role::operate) : 401));
      }
    }
    // A token that is shown counts, also when it opens less than the certificate.
    CHECK(status_of(route, bearer(1), "ann") == up_to(Role::viewer));
    CHECK(status_of(route, bearer(4), "ann") == (open ? 200 : 401));
    CHECK(status_of(route, bearer(3), "dash") == up_to(Role::admin));
    CHECK(status_of(route, bearer(3), "bob", false) == (open ? 200 : 401));
  }
}

TEST_CASE("who reaches one namespace is refused what all namespaces share, and the role counts as ever") {
  std::set<std::string_view> of_namespaces;
  for (const auto& route : routes()) {
    CAPTURE(name(route.verb), route.path, name(route.role));
    const bool shared = reach_of(route) == Reach::cluster;
    if (!shared) of_namespaces.insert(route.operation);
    const auto up_to = [&](Role role) { return route.role > role || shared ? 403 : 200; };
    CHECK(status_of(route, bearer(6)) == up_to(Role::viewer));
    CHECK(status_of(route, bearer(7)) == up_to(Role::operate));
    CHECK(status_of(route, bearer(8)) == up_to(Role::admin));
    CHECK(status_of(route, {}, "team-a") == up_to(Role::admin));
    // Whatever tells of one chain asks first whose it is.
    CHECK((reach_of(route) == Reach::chain) == (route.path.find("{id}") != std::string_view::npos));
  }
  for (const auto operation : named_operations()) {
    CAPTURE(operation);
    CHECK(of_namespaces.contains(operation));
  }
  for (const auto* const shared : {"listNodes", "drainNode", "readAudit", "listWebhooks", "tellStore", "diagnose", "metrics", "putDefinition",
                                   "removeDefinition", "readFile", "putFile", "backUpStore"})
    CHECK_FALSE(of_namespaces.contains(shared));
  const auto known = book();
  auto made = request("GET", "/v1/chains");
  made.headers["authorization"] = bearer(6);
  const auto asked = find_route(made, routes(), kNow, [&](const Request& from, const Route& route) {
    return check_access(from, route, {.tokens = &known, .certificates = kCertificates}, kNow);
  });
  REQUIRE(asked);
  CHECK(asked->namespace_ == "team-a");
}

TEST_CASE("each route is open to those whose token of the issuer has its role or one above it, and to nobody else") {
  const auto issuer = accepted_issuer();
  const auto good = TestIssuer::claims(kNow);
  const auto with = [&](const char* member, const Json& value) {
    auto claims = good;
    claims[member] = value;
    return bearer_of(claims);
  };
  auto tampered = bearer_of(good);
  tampered[tampered.size() / 2] = tampered[tampered.size() / 2] == 'A' ? 'B' : 'A';
  const auto n = *from_base64url(test_issuer().jwk("RS256")["n"].get<std::string>());
  const std::vector<std::string> refused{
      "Bearer ",
      "Bearer a.b.c",
      with("exp", kNow / 1'000 - 31),
      with("aud", "other"),
      with("iss", "https://other.example"),
      with("nbf", kNow / 1'000 + 60),
      with("sub", ""),
      tampered,
      "Bearer " + TestIssuer{}.sign(good),
      "Bearer " + test_issuer().sign_with({{"alg", "ES256"}, {"kid", "unknown"}}, good.dump(), "ES256"),
      "Bearer " + TestIssuer::sign_with_secret({{"alg", "HS256"}, {"kid", "RS256"}}, good, n),
      "Bearer " + to_base64url(R"({"alg": "none", "kid": "ES256"})") + '.' + to_base64url(good.dump()) + '.',
      bearer_of(good, "ES256").substr(7),  // no scheme
  };
  for (const auto& route : routes()) {
    CAPTURE(name(route.verb), route.path, name(route.role));
    const bool open = route.role == Role::anyone;
    const auto up_to = [&](Role role) { return route.role <= role ? 200 : 403; };
    for (const bool tokens : {true, false}) {
      const auto status = [&](const Json& groups, const std::string& certificate = {}) {
        return status_of(route, bearer_of(TestIssuer::claims(kNow, groups)), certificate, tokens, &issuer);
      };
      CHECK(status({"look"}) == up_to(Role::viewer));
      CHECK(status({"ops"}) == up_to(Role::operate));
      CHECK(status({"look", "ops"}) == up_to(Role::operate));
      CHECK(status({"root"}) == 200);
      CHECK(status({"nobody"}) == (open ? 200 : 403));
      // Of one namespace, and of two, of which none is the one that is meant; whoever looks at all there is steers the one namespace.
      const bool shared = reach_of(route) == Reach::cluster;
      const int within = open || (!shared && route.role <= Role::operate) ? 200 : 403;
      CHECK(status({"web"}) == within);
      // what tells nothing of anybody, or looks at its calls one by one, is open in either
      CHECK(status({"web", "cms"}) == (reach_of(route) == Reach::anything ? within : 403));
      CHECK(status({"look", "web"}) == (route.role <= Role::viewer ? 200 : within));
      // A token that is shown counts, whatever the certificate opens.
      CHECK(status({"look"}, "ann") == up_to(Role::viewer));
      for (const auto& shown : refused) {
        CAPTURE(shown);
        CHECK(status_of(route, shown, "ann", tokens, &issuer) == (open ? 200 : 401));
      }
      CHECK(status_of(route, {}, "ann", tokens, &issuer) == 200);
      CHECK(status_of(route, {}, {}, tokens, &issuer) == (open ? 200 : 401));
      // An access token stays what it is, and is none of the issuer's.
      CHECK(status_of(route, bearer(2), {}, tokens, &issuer) == (open ? 200 : tokens ? up_to(Role::operate) : 401));
    }
  }
}

TEST_CASE("a token of the issuer ends with its time, and a key that is not known is asked for") {
  const auto& route = *std::ranges::find(routes(), std::string_view{"listChains"}, [](const Route& one) { return one.operation; });
  auto issuer = accepted_issuer();
  const auto shown = bearer_of(TestIssuer::claims(kNow, {"ops"}));
  // What a stream asks at each heartbeat.
  CHECK(status_of(route, shown, {}, true, &issuer, kNow + 629'999) == 200);
  CHECK(status_of(route, shown, {}, true, &issuer, kNow + 630'000) == 401);
  const auto other = "Bearer " + test_issuer().sign_with({{"alg", "ES256"}, {"kid", "new"}}, TestIssuer::claims(kNow).dump(), "ES256");
  CHECK(status_of(route, other, {}, true, &issuer, kNow + kKeysAskedApart.count() - 1) == 401);
  CHECK(status_of(route, other, {}, true, &issuer, kNow + kKeysAskedApart.count()) == 503);
  issuer.ring->note_failure(kNow + kKeysAskedApart.count());
  CHECK(status_of(route, other, {}, true, &issuer, kNow + kKeysAskedApart.count()) == 401);
  issuer.ring = std::make_shared<KeyRing>();
  CHECK(status_of(route, shown, {}, true, &issuer) == 503);
  CHECK(status_of(route, bearer(2), {}, true, &issuer) == 200);
}

TEST_CASE("who shows a token of the issuer is known by issuer and subject, and is told a reason and no secret") {
  const auto issuer = accepted_issuer();
  const auto known = book();
  const auto ask = [&](const std::string& authorization) {
    auto made = request("GET", "/v1/chains");
    made.headers["authorization"] = authorization;
    const auto& route = *std::ranges::find(routes(), std::string_view{"listChains"}, [](const Route& one) { return one.operation; });
    return check_access(made, route, {.tokens = &known, .certificates = kCertificates, .issuer = &issuer}, kNow);
  };
  const auto caller = ask(bearer_of(TestIssuer::claims(kNow, {"web"})));
  REQUIRE(caller);
  CHECK(caller->by == storage::Asker{storage::AskedVia::http, "ada", std::string{"oidc:"} + TestIssuer::kName});
  CHECK(caller->namespace_ == "web-shop");
  auto claims = TestIssuer::claims(kNow);
  claims["aud"] = "a-secret-service";
  const auto refused = ask(bearer_of(claims));
  REQUIRE_FALSE(refused);
  const auto answer = to_answer(refused.error());
  CHECK(answer.body.find("jwt_audience") != std::string::npos);
  CHECK(answer.body.find("a-secret-service") == std::string::npos);
  CHECK(std::ranges::find(answer.headers, std::pair<std::string, std::string>{"WWW-Authenticate",
                                                                              R"(Bearer error="invalid_token", error_description="jwt_audience")"}) !=
        answer.headers.end());
}

TEST_CASE("a chain of another namespace is not found, as one that there is not") {
  const LabelsOf labels_of = [](const ChainId& chain) -> Result<ChainLabels> {
    if (chain.value == "none") return fail(Code::chain_not_found, "no chain has that id; the nearest is 'mine'");
    if (chain.value == "broken") return fail(Code::storage_corrupt, "it cannot be read");
    if (chain.value == "bare") return ChainLabels{};
    return ChainLabels{{"namespace", chain.value == "mine" ? "team-a" : "team-b"}};
  };
  const auto status_for = [&](const std::string& target, const std::string& of) {
    auto what = asked("GET", target);
    what.namespace_ = of;
    const auto may = check_chain_reach(what, labels_of);
    if (may) return 200;
    const auto answer = to_answer(may.error());
    CHECK(answer.body.find("nearest") == std::string::npos);
    return answer.status;
  };
  for (const std::string behind : {"", "/steps", "/steps/each/items", "/history", "/response", "/children"}) {
    CAPTURE(behind);
    CHECK(status_for("/v1/chains/mine" + behind, "team-a") == 200);
    for (const std::string other : {"theirs", "none", "bare"}) CHECK(status_for("/v1/chains/" + other + behind, "team-a") == 404);
    CHECK(status_for("/v1/chains/broken" + behind, "team-a") == 500);
    CHECK(status_for("/v1/chains/theirs" + behind, "") == 200);
  }
}

TEST_CASE("roles of names are the three there are, and a name has a star at its end only") {
  const auto roles = roles_by_name({{"ann", "admin"}, {"ops-*", "operator@team-a"}, {"*", "viewer"}}, "o");
  REQUIRE(roles);
  CHECK(roles->at("ops-*").role == storage::TokenRole::operator_);
  CHECK(roles->at("ops-*").namespace_ == "team-a");
  CHECK(roles->at("ann").namespace_.empty());
  for (const auto& [said, role] : std::map<std::string, std::string>{
           {"ann", "root"}, {"a*b", "admin"}, {"", "admin"}, {"**", "viewer"}, {"bob", "admin@"}, {"eve", "admin@a b"}}) {
    CAPTURE(said, role);
    const auto read = roles_by_name({{said, role}}, "http.certificate_roles");
    REQUIRE_FALSE(read);
    CHECK(read.error().message.find("http.certificate_roles") != std::string::npos);
  }
}

TEST_CASE("who only looks has a role that changes nothing") {
  for (const auto& route : routes()) {
    CAPTURE(name(route.verb), route.path);
    if (route.operation == "postCalls") continue;  // each call that it carries needs a role of its own: call_access_test
    const bool only_asks = route.verb == Verb::get || only_computes(route);
    const bool tells_of_persons = route.path == "/v1/audit";
    CHECK((route.role <= Role::viewer) == (only_asks && !tells_of_persons));
  }
}

TEST_CASE("a request that may not be sent is told so before anything else of it is looked at") {
  const Access refuse_all = [](const Request&, const Route&) -> Outcome<Caller> { return refuse(Code::token_refused, "no"); };
  auto made = request("POST", "/v1/chains?nonsense=1", "{");
  const auto found = find_route(made, routes(), kNow, refuse_all);
  REQUIRE_FALSE(found);
  CHECK(found.error().error.code == Code::token_refused);
}

}  // namespace catena::api::test
