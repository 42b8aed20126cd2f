// Errors as problems.
#include "api/problem.hpp"

#include "api/body.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {

TEST_CASE("every code is a problem, and what a request gets wrong is never the server's") {
  for (const auto& code : all_codes()) {
    INFO(code.name);
    const auto& known = problem_info(code.code);
    CHECK(known.code == code.code);
    CHECK(known.status >= 400);
    CHECK(known.status < 600);
    CHECK((known.source == Source::server) == (known.status >= 500));
    const auto answer = to_answer(make_error(code.code, "what was wrong"));
    const auto json = parsed(answer);
    CHECK(fits(json, "Problem"));
    CHECK(json["type"] == "/v1/errors/" + std::string{code.name});
    CHECK(json["retryable"] == code.retryable);
    const bool says_when = std::ranges::any_of(answer.headers, [](const auto& header) { return header.first == "Retry-After"; });
    CHECK(says_when == (known.status == 503));
  }
}

TEST_CASE("a request that only reads may always be sent again") {
  CHECK(parsed(to_answer(make_error(Code::storage_io, "x")))["safe_to_resend"] == false);
  CHECK(parsed(to_answer(make_error(Code::storage_io, "x"), true))["safe_to_resend"] == true);
}

TEST_CASE("the meaning of a code stands at its type") {
  Scene scene;
  const auto one = asked("GET", "/v1/errors/chain_exists");
  const auto told = std::get<Instant>(one.route->handler)(one);
  REQUIRE(told);
  CHECK(parsed(*told)["status"] == 409);
  CHECK(fits(parsed(*told), "ErrorCode"));
  const auto none = asked("GET", "/v1/errors/chain_exist");
  CHECK(to_answer(std::get<Instant>(none.route->handler)(none).error()).status == 404);
  const auto all = asked("GET", "/v1/errors");
  const auto list = parsed(*std::get<Instant>(all.route->handler)(all));
  CHECK(fits(list, "ErrorCodes"));
  CHECK(list["errors"].size() == all_codes().size());
}

TEST_CASE("a place in a body is a pointer") {
  const auto body = Body::parse("{\n  \"a/b\": [1,\n    {\"c~\": true}],\n  \"d\": 2\n}");
  REQUIRE(body);
  CHECK(body->pointer_at(2, 3) == "/a~1b");
  CHECK(body->pointer_at(2, 11) == "/a~1b/0");
  CHECK(body->pointer_at(3, 12) == "/a~1b/1/c~0");
  CHECK(body->pointer_at(4, 8) == "/d");
  CHECK(body->text_of("a/b") == "[1,\n    {\"c~\": true}]");
}

}  // namespace catena::api::test
