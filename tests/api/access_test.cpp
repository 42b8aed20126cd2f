// Who may call which route: each route with each kind of token.
#include "api/access.hpp"

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
  for (const auto& one : {token(1, storage::TokenRole::viewer), token(2, storage::TokenRole::operator_), token(3, storage::TokenRole::admin),
                          token(4, storage::TokenRole::admin, kNow - 1), token(5, storage::TokenRole::admin, 0, kNow - 1)})
    tokens[one.id] = one;
  return coordinator::TokenBook{std::move(tokens)};
}

const RolesByName kCertificates{{"ann", storage::TokenRole::admin},
                                {"ops-*", storage::TokenRole::operator_},
                                {"ops-see-*", storage::TokenRole::viewer},
                                {"ops-1", storage::TokenRole::admin},
                                {"dash", storage::TokenRole::viewer}};

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

TEST_CASE("roles of names are the three there are, and a name has a star at its end only") {
  REQUIRE(roles_by_name({{"ann", "admin"}, {"ops-*", "operator"}, {"*", "viewer"}}, "o"));
  for (const auto& [said, role] : std::map<std::string, std::string>{{"ann", "root"}, {"a*b", "admin"}, {"", "admin"}, {"**", "viewer"}}) {
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
  const Access refuse_all = [](const Request&, const Route&) -> Outcome<storage::Asker> { return refuse(Code::token_refused, "no"); };
  auto made = request("POST", "/v1/chains?nonsense=1", "{");
  const auto found = find_route(made, routes(), kNow, refuse_all);
  REQUIRE_FALSE(found);
  CHECK(found.error().error.code == Code::token_refused);
}

}  // namespace catena::api::test
