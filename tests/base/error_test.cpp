#include "base/error.hpp"

#include <catch2/catch.hpp>
#include <set>

namespace catena {

TEST_CASE("every code has its row in the table at its own index") {
  const auto& rows = all_codes();
  CHECK(rows.size() == static_cast<std::size_t>(Code::internal) + 1);
  std::set<std::string_view> names;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto code = static_cast<Code>(row);
    INFO(rows[row].name);
    CHECK(rows[row].code == code);
    CHECK(info(code).code == code);
    CHECK(name(code) == rows[row].name);
    CHECK(code_named(rows[row].name) == code);
    CHECK_FALSE(rows[row].meaning.empty());
    CHECK(names.insert(rows[row].name).second);
  }
}

TEST_CASE("a name that is no code is internal") { CHECK(code_named("no_such_code") == Code::internal); }

TEST_CASE("an error takes its code's word on whether another attempt may help") {
  CHECK(make_error(Code::tool_temporary, "").retryable);
  CHECK_FALSE(make_error(Code::argument_missing, "").retryable);
}

TEST_CASE("an error whose words are no text can be told all the same") {
  auto error = make_error(Code::tool_failed, "half of a character: \xC3");
  error.details = Json{{"said", "\xFF"}};
  const auto told = Json::parse(to_json_text(error), nullptr, false);
  REQUIRE(told.is_object());
  CHECK(told["message"] == "half of a character: \xEF\xBF\xBD");
  CHECK(error_from_json(told).code == Code::tool_failed);
}

TEST_CASE("an error survives its JSON, with details and causes") {
  auto error = make_error(Code::tool_failed, "it fell over");
  error.retryable = !error.retryable;
  error.details = Json{{"exit_code", 3}, {"stderr", "x"}};
  auto middle = make_error(Code::tool_killed, "by a signal");
  middle.cause = std::make_shared<const Error>(make_error(Code::storage_io, "disk"));
  error.cause = std::make_shared<const Error>(middle);
  const auto read = error_from_json(to_json(error));
  CHECK(read == error);
  CHECK(read.code == Code::tool_failed);
  CHECK(read.retryable == error.retryable);
  REQUIRE(read.cause);
  REQUIRE(read.cause->cause);
  CHECK(read.cause->cause->message == "disk");
}

TEST_CASE("an error without details or cause does not mention them") {
  const auto json = to_json(make_error(Code::usage, "no"));
  CHECK(json == Json{{"code", "usage"}, {"message", "no"}, {"retryable", false}});
}

TEST_CASE("what is no error, or half of one, reads as far as it goes") {
  CHECK(error_from_json(Json(5)).code == Code::internal);
  CHECK(error_from_json(Json{{"code", "of the future"}, {"message", "m"}}).message == "m");
  const auto odd = error_from_json(Json{{"code", 5}, {"message", Json::array()}, {"retryable", "yes"}, {"cause", "none"}});
  CHECK(odd.code == Code::internal);
  CHECK(odd.message.empty());
  CHECK_FALSE(odd.retryable);
}

TEST_CASE("errors differ by place, notes and cause") {
  const auto one = make_error(Code::usage, "m", {"f", 1, 2});
  auto other = one;
  CHECK(one == other);
  other.where.line = 9;
  CHECK_FALSE(one == other);
  other = one;
  other.notes = {"n"};
  CHECK_FALSE(one == other);
  other = one;
  other.cause = std::make_shared<const Error>(one);
  CHECK_FALSE(one == other);
}

TEST_CASE("an error is rendered with its place, then a line a cause, and what to do last") {
  auto error = make_error(Code::json_syntax, "a comma is missing", {"a.tool", 3, 9});
  error.notes = {"the list began in line 2"};
  error.cause = std::make_shared<const Error>(make_error(Code::internal, "deeper"));
  CHECK(render(error) == "a.tool:3:9: error[json_syntax]: a comma is missing\n    caused by [internal]: deeper\n    the list began in line 2");
  CHECK(render(make_error(Code::usage, "no command")) == "error[usage]: no command");
}

TEST_CASE("a place is printed as far as it is known") {
  CHECK(to_string(Place{}) == "");
  CHECK(to_string(Place{"f", 0, 0}) == "f");
  CHECK(to_string(Place{"f", 3, 4}) == "f:3:4");
}

}  // namespace catena
