// What a worker says is looked at before anything believes it.
#include "coordinator/checked_results.hpp"

#include <catch2/catch.hpp>

#include "tests/coordinator/far_end.hpp"

namespace catena::coordinator::test {
namespace {

TEST_CASE("what a worker says that is not JSON, or nests without end, becomes the error of its attempt alone") {
  constexpr std::size_t kLevels = 1'000'000;
  std::string endless;
  for (std::size_t level = 0; level < kLevels; ++level) endless += R"({"cause":)";
  const auto deep = R"({"x":)" + std::string(kLevels, '[') + std::string(kLevels, ']') + "}";
  const auto caused = endless + "{}" + std::string(kLevels, '}');
  for (const auto& text : {std::string{"1,2"}, std::string{R"({"x": 1)"}, std::string{"\"\xff\""}, std::string{"no"}, std::string{}, deep, caused}) {
    for (const bool ok : {true, false}) {
      INFO(text.substr(0, 20));
      actors::WorkReport report;
      report.results = {{0, true, "{}", 5}, {1, ok, text, 7}, {2, false, R"({"code": "tool_failed", "message": "m"})", 9}};
      check_results(report);
      REQUIRE(report.results.size() == 3);
      CHECK(report.results[0].ok);
      CHECK(report.results[0].text == "{}");
      CHECK_FALSE(report.results[1].ok);
      CHECK(error_from_json(Json::parse(report.results[1].text)).code == Code::tool_output_invalid);
      CHECK(report.results[1].took_us == 7);
      CHECK(error_from_json(Json::parse(report.results[2].text)).code == Code::tool_failed);
    }
  }
}

TEST_CASE("an item whose answer is not JSON fails alone, and the list stays one") {
  Cluster c;
  FarEnd far{c.f.system};
  far.script = [](const actors::Attempted& attempt) { return attempt.item == 1 ? "1,2" : "{}"; };
  c.greet(far);
  const std::string lenient = R"("iterate_over": [0, 1, 2], "child_argument_name": "i", "tolerated_failures": 1, "on_item_failure": "null")";
  const auto ended =
      c.f.complete(pin(composite({step("a", R"("parallel_execution": {)" + lenient + "}")}, R"("response_reference_map": {"a": "REF:a.response"})")));
  REQUIRE(ended.status == engine::ChainStatus::succeeded);
  CHECK(Json::parse(ended.response.text)["a"] == Json{Json::object(), nullptr, Json::object()});
}

TEST_CASE("an answer that is not JSON fails its attempt with tool_output_invalid and nothing else") {
  Cluster c;
  FarEnd far{c.f.system};
  far.script = [](const actors::Attempted&) { return "1,2"; };
  c.greet(far);
  const auto ended = c.f.complete(pin(composite({step("a"), step("b")})));
  CHECK(ended.status == engine::ChainStatus::failed);
  REQUIRE(ended.error);
  CHECK(ended.error->code == Code::tool_output_invalid);
}

}  // namespace
}  // namespace catena::coordinator::test
