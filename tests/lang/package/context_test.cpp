#include "lang/package/context.hpp"

#include <catch2/catch.hpp>

#include "lang/program/program.hpp"

namespace catena::lang {
namespace {

/// A package of programs, each with the names that it requires.
Package requiring(const std::map<std::string, std::vector<std::string>>& programs) {
  Package package;
  for (const auto& [key, names] : programs) {
    Program program;
    program.name = key;
    program.requires_context = names;
    package.programs.emplace(key, std::make_shared<const Program>(std::move(program)));
  }
  package.root = programs.begin()->first;
  return package;
}

std::string checked_context(std::string_view context, const std::map<std::string, std::vector<std::string>>& programs = {{"main", {}}}) {
  const auto text = check_context(context, requiring(programs));
  return text ? *text : std::string{name(text.error().code)};
}

}  // namespace

TEST_CASE("a context is recorded compact and in ASCII, and one that says nothing is none") {
  CHECK(checked_context(R"( {"user_id" : "Jürgen"} )") == R"({"user_id":"J\u00fcrgen"})");
  CHECK(checked_context("").empty());
  CHECK(checked_context("{}").empty());
  CHECK(checked_context("null").empty());
}

TEST_CASE("a context that is no object, or too long to go along, is refused") {
  CHECK(checked_context("[]") == "usage");
  CHECK(checked_context("{") == "json_syntax");
  CHECK(checked_context(R"({"a": 1, "a": 2})") == "duplicate_key");
  const auto of_size = [](std::size_t bytes) { return R"({"a":")" + std::string(bytes - 8, 'x') + R"("})"; };
  CHECK(checked_context(of_size(kContextBytesMax)) == of_size(kContextBytesMax));
  CHECK(checked_context(of_size(kContextBytesMax + 1)) == "document_too_large");
}

TEST_CASE("a name that any definition of the package requires has to be there, neither null nor empty") {
  const std::map<std::string, std::vector<std::string>> programs{{"inner", {"casefile_id", "user_id"}}, {"main", {"user_id"}}};
  CHECK(checked_context(R"({"user_id": 0, "casefile_id": false})", programs) == R"({"casefile_id":false,"user_id":0})");
  for (const auto* context :
       {"", "{}", R"({"user_id": "ann"})", R"({"user_id": "ann", "casefile_id": null})", R"({"user_id": "ann", "casefile_id": ""})"}) {
    CAPTURE(context);
    CHECK(checked_context(context, programs) == "policy_violation");
  }
  const auto error = check_context(R"({"user_id": ""})", requiring(programs)).error();
  CHECK(error.message ==
        "'inner' requires 'casefile_id', 'user_id' in the context of its submission; give them with --context casefile_id=… --context user_id=…");
  CHECK(error.details == Json{{"missing", {"casefile_id", "user_id"}}});
  CHECK(error.notes == std::vector<std::string>{"'casefile_id' is required by 'inner'", "'user_id' is required by 'inner', 'main'"});
}

}  // namespace catena::lang
