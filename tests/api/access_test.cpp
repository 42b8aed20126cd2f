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

/// The status, 200 where the request may go on.
int status_of(const Route& route, const std::string& authorization) {
  auto made = request(std::string{name(route.verb)}, std::string{route.path});
  if (!authorization.empty()) made.headers["authorization"] = authorization;
  const auto may = check_access(made, route, book(), kNow);
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
