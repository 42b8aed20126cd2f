// From a request to its route.
#include "api/router.hpp"

#include "api/target.hpp"
#include "tests/api/support.hpp"

namespace catena::api::test {
namespace {

/// The problem of a request that has one, as its body.
Json problem_with(Request made) {
  const auto found = routed(std::move(made));
  REQUIRE_FALSE(found);
  auto json = parsed(to_answer(found.error()));
  CHECK(fits(json, "Problem"));
  return json;
}

}  // namespace

TEST_CASE("a path finds its route, with the names in it decoded") {
  const auto chain = asked("GET", "/v1/chains/nap");
  CHECK(chain.route->operation == "tellChain");
  CHECK(chain.chain() == ChainId{"nap"});
  CHECK(asked("GET", "/v1/chains/nap%2Fsleep%2F3").chain() == ChainId{"nap/sleep/3"});
  CHECK(asked("GET", "/v1/chains/a/steps/each/items/7/response").path.at("item") == "7");
  CHECK(asked("GET", "/v1/chains/a/steps/each/items:states").route->operation == "tellItemStates");
  CHECK(asked("POST", "/v1/chains/nap:cancel").chain() == ChainId{"nap"});
  CHECK(asked("POST", "/v1/nodes/w1:drain").path.at("node") == "w1");
}

TEST_CASE("what is not in the table is refused, with what was probably meant") {
  auto json = problem_with(request("GET", "/v1/chain"));
  CHECK(json["status"] == 404);
  CHECK(json["code"] == "route_unknown");
  CHECK_THAT(json["detail"].get<std::string>(), Catch::Contains("did you mean '/v1/chains'"));
  CHECK(problem_with(request("GET", "/v1/chains/"))["status"] == 404);
  CHECK(problem_with(request("GET", "/v1/chains/a/b"))["status"] == 404);
  CHECK(problem_with(request("POST", "/v1/chains/:cancel"))["status"] == 405);

  const auto wrong = routed(request("DELETE", "/v1/chains"));
  REQUIRE_FALSE(wrong);
  const auto answer = to_answer(wrong.error());
  CHECK(answer.status == 405);
  CHECK(answer.headers == Headers{{"Allow", "GET, POST"}});
  CHECK(answer.type == kProblemType);
}

TEST_CASE("paths that hide something are malformed") {
  for (const auto* target : {"/v1/../etc", "/v1/chains/..", "/v1/chains/%2e%2e", "/v1/chains/%00", "/v1/chains/%zz", "/v1/chains/%f",
                             "/v1/chains/%ff", "*", "http://elsewhere/v1/chains", ""}) {
    INFO(target);
    CHECK(problem_with(request("GET", target))["status"] == 400);
  }
}

TEST_CASE("parameters are those of the route, of their kinds, and once") {
  auto json = problem_with(request("GET", "/v1/chains?limti=3"));
  CHECK(json["status"] == 400);
  CHECK(json["errors"][0]["parameter"] == "limti");
  CHECK(json["errors"][0]["suggestion"] == "limit");
  for (const auto* query : {"limit=0", "limit=1001", "limit=x", "limit=", "limit=-1", "limit=18446744073709551616", "all=yes", "since=yesterday",
                            "status=done", "status=failed,", "limit=1&limit=2"}) {
    INFO(query);
    CHECK(problem_with(request("GET", std::string{"/v1/chains?"} + query))["code"] == "request_invalid");
  }
  const auto fine = asked("GET", "/v1/chains?status=failed,cancelled&limit=3&since=2h&name=a%2Bb+c&&");
  CHECK(fine.whole("limit", 9) == 3);
  CHECK(fine.text("name") == "a+b c");
  CHECK(fine.whole("since", 0) == kNow - 7'200'000);
  CHECK(asked("GET", "/v1/chains?since=2023-11-14T22:13:20Z").whole("since", 0) == kNow);
  CHECK(problem_with(request("GET", "/v1/chains?status=succeded"))["errors"][0]["suggestion"] == "succeeded");
}

TEST_CASE("a wait is bounded, and said by a header or a parameter") {
  auto made = request("GET", "/v1/chains/a");
  made.headers["prefer"] = "respond-async, wait=30";
  CHECK(routed(made)->wait == Millis{30'000});
  made.headers["prefer"] = "wait=86400";
  CHECK(routed(made)->wait == kWaitMax);
  made.headers["prefer"] = "wait=soon";
  CHECK(routed(made)->wait == Millis{0});
  CHECK(asked("GET", "/v1/chains/a?wait=250ms").wait == Millis{250});
  CHECK(asked("GET", "/v1/chains/a?wait=5").wait == Millis{5000});
  made = request("GET", "/v1/nodes");
  made.headers["prefer"] = "wait=30";
  CHECK(routed(made)->wait == Millis{0});
}

TEST_CASE("a body is JSON of bounded size where a route reads one, and absent elsewhere") {
  CHECK(problem_with(request("POST", "/v1/chains"))["status"] == 415);
  auto text = request("POST", "/v1/chains", "{}");
  text.headers["content-type"] = "text/plain";
  CHECK(problem_with(text)["status"] == 415);
  text.headers["content-type"] = "application/json; charset=utf-8";
  CHECK(routed(text));
  CHECK(problem_with(request("POST", "/v1/chains", std::string((4UL << 20U) + 1, ' ')))["status"] == 413);
  CHECK(problem_with(request("GET", "/v1/chains", "{}"))["status"] == 400);
  CHECK(routed(request("POST", "/v1/chains/a:cancel")));
  for (const auto* body : {"[]", "nonsense", "{", R"({"a": 1, "a": 2})", R"({"a": 1e999})", " ", "{\"a\": \"\xff\"}"}) {
    INFO(body);
    CHECK(problem_with(request("POST", "/v1/chains", body))["status"] == 400);
  }
  CHECK(problem_with(request("POST", "/v1/chains", R"({"a": )" + std::string(100'000, '[')))["code"] == "nesting_too_deep");
}

TEST_CASE("a request names this server, and comes from no page of another") {
  const Guard guard{{"localhost", "127.0.0.1", "[::1]"}};
  auto made = request("GET", "/v1/chains");
  for (const auto* host : {"127.0.0.1:7421", "localhost", "LOCALHOST:1", "[::1]:7421"}) {
    made.headers["host"] = host;
    CHECK(check_origin(made, guard));
  }
  for (const auto* host : {"evil.example", "127.0.0.1.evil.example:7421", "", "localhost.:1"}) {
    made.headers["host"] = host;
    INFO(host);
    REQUIRE_FALSE(check_origin(made, guard));
    CHECK(check_origin(made, guard).error().code == Code::origin_refused);
  }
  made.headers["host"] = "localhost:7421";
  made.headers["origin"] = "http://localhost:7421";
  CHECK(check_origin(made, guard));
  for (const auto* origin : {"null", "http://evil.example", "http://localhost:8080"}) {
    made.headers["origin"] = origin;
    CHECK_FALSE(check_origin(made, guard));
    CHECK_FALSE(check_origin(made, {}));
  }
  made.headers["host"] = "any.example";
  made.headers["origin"] = "http://any.example";
  CHECK(check_origin(made, {}));
}

TEST_CASE("a segment is encoded so that it comes back") {
  for (const std::string text : {"nap/sleep/3", "a b", "ä", "a%2Fb", "~x.y-z_0", "@2"}) CHECK(percent_decoded(percent_encoded(text)) == text);
  CHECK(bytes_of_hex(hex_text("\x01\xff z")) == "\x01\xff z");
  CHECK_FALSE(bytes_of_hex("abc"));
  CHECK_FALSE(bytes_of_hex("zz"));
}

}  // namespace catena::api::test
