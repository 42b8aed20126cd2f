// Who may call which route: each route with each kind of token.
#include "api/access.hpp"

#include <set>

#include "api/reach.hpp"

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
int status_of(const Route& route, const std::string& authorization, const std::string& certificate = {}, bool tokens = true) {
  auto made = request(std::string{name(route.verb)}, std::string{route.path});
  if (!authorization.empty()) made.headers["authorization"] = authorization;
  made.certificate = certificate;
  const auto known = book();
  const auto may = check_access(made, route, {.tokens = tokens ? &known : nullptr, .certificates = kCertificates}, kNow);
  if (may) return 200;
  const auto answer = to_answer(may.error());
  CHECK(fits(parsed(answer), "Problem"));
  if (answer.status == 401)
    CHECK(std::ranges::find(answer.headers, std::pair<std::string, std::string>{"WWW-Authenticate", "Bearer"}) != answer.headers.end());
  return answer.status;
}

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
  for (const auto* const shared : {"listNodes", "drainNode", "readAudit", "listWebhooks", "tellStore", "metrics"})
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
    const bool only_asks = route.verb == Verb::get || route.path == "/v1/validate";
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
