// The cases of tests/lang/conditions/*.txt. A line is a case: `conditions => true|false`, ` ~ part of the warning` behind it when there is
// one, or `conditions !> code column message`. `context JSON` sets the context of the lines below it; `#` begins a comment.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "lang/eval_conditions.hpp"

using namespace catena;
using namespace catena::lang;

namespace {

struct Case {
  std::string conditions;
  std::string expected;
};

struct Tally {
  int answers = 0;
  int errors = 0;
};

void check_error(const std::string& document, std::size_t offset, const std::string& expected) {
  const auto verdict = eval_conditions(document);
  REQUIRE_FALSE(verdict);
  REQUIRE(verdict.error().size() == 1);
  const auto& error = verdict.error().front();
  // columns count from the conditions' own first character
  CHECK(std::string{name(error.code)} + " " + std::to_string(error.where.column - offset) + " " + error.message == expected);
}

void check_answer(const std::string& document, const std::string& expected) {
  const auto verdict = eval_conditions(document);
  if (!verdict) FAIL(render(verdict.error().front()));
  const auto tilde = expected.find(" ~ ");
  CHECK((verdict->holds ? "true" : "false") == expected.substr(0, tilde));
  REQUIRE(verdict->warnings.size() == (tilde == std::string::npos ? 0 : 1));
  if (tilde != std::string::npos) CHECK_THAT(verdict->warnings.front(), Catch::Contains(expected.substr(tilde + 3)));
}

void run_file(const std::filesystem::path& path, Tally& tally) {
  std::ifstream in{path};
  std::string context = "{}";
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with("context ")) {
      context = line.substr(8);
      continue;
    }
    INFO(path.filename().string() << ":" << number << ": " << line);
    const auto arrow = std::max(line.rfind(" => ") + 1, line.rfind(" !> ") + 1);
    REQUIRE(arrow != 0);
    const auto before = R"({"context": )" + context + R"(, "conditions": )";
    const auto document = before + line.substr(0, arrow - 1) + "}";
    const bool answers = line[arrow] == '=';
    ++(answers ? tally.answers : tally.errors);
    if (answers) {
      check_answer(document, line.substr(arrow + 3));
    } else {
      check_error(document, before.size(), line.substr(arrow + 3));
    }
  }
}

}  // namespace

TEST_CASE("conditions mean what the golden cases say", "[conditions]") {
  Tally tally;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{CATENA_SOURCE_DIR "/tests/lang/conditions"}) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) run_file(file, tally);
  CHECK(tally.answers >= 100);
  CHECK(tally.errors >= 15);
}

TEST_CASE("a document of conditions that is none is refused with what it should be", "[conditions]") {
  const auto codes = [](std::string_view document) {
    std::vector<std::string> found;
    const auto verdict = eval_conditions(document);
    if (!verdict) {
      for (const auto& error : verdict.error()) found.push_back(std::string{name(error.code)} + " " + to_string(error.where));
    }
    return found;
  };
  using Codes = std::vector<std::string>;
  CHECK(codes("{") == Codes{"json_syntax conditions:1:2"});
  CHECK(codes("[]") == Codes{"field_type conditions:1:1"});
  CHECK(codes("{}") == Codes{"field_missing conditions:1:1"});
  CHECK(codes(R"({"conditions": {}, "contxt": {}})") == Codes{"field_type conditions:1:16", "field_unknown conditions:1:20"});
  CHECK(codes(R"({"conditions": [], "context": []})") == Codes{"field_type conditions:1:31"});
  CHECK(codes(R"({"conditions": [], "context": {"arguments": 1, "a": "text", "b": true}})") ==
        Codes{"field_type conditions:1:45", "field_type conditions:1:53", "field_type conditions:1:66"});
  CHECK(codes(R"({"conditions": []})").empty());
}

TEST_CASE("all that is wrong with conditions is told at once", "[conditions]") {
  const auto verdict =
      eval_conditions(R"({"conditions": [{"param": "REF:a", "operator": "exists"}, {"param": 1, "operator": "is", "value": 1}]})");
  REQUIRE_FALSE(verdict);
  CHECK(verdict.error().size() == 2);
}
