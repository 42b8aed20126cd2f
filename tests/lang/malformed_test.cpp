// Definitions that must be refused: each with all its errors, their codes and places, and nothing else.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "tests/lang/golden_files.hpp"
#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {
namespace {

std::vector<std::string> found_in(const std::string& document) {
  auto finder = standard_tools();
  finder.add("/case.tool", document);
  const auto package = load_package("/case.tool", finder, kCatalog);
  std::vector<std::string> found;
  if (package) return found;
  for (const auto& error : package.error()) {
    INFO(render(error));
    CHECK(error.where.file == "/case.tool");
    CHECK_FALSE(error.message.empty());
    found.push_back(fmt::format("{} {}:{} {}", name(error.code), error.where.line, error.where.column, error.message));
  }
  return found;
}

/// A document that is made, because nobody wants to read it.
struct Made {
  std::string what;
  std::string first_error;
  std::string document;
};

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string with_value(const std::string& value) {
  return R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/any.tool", "arguments": {"x": )" + value + "}}]}";
}

std::string steps(std::size_t count, std::string_view rest_of_each) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) {
    list += fmt::format("{}{{\"execution_id\": \"s{}\", \"tool_definition_path\": \"/tools/any.tool\"{}}}", i == 0 ? "" : ",\n", i,
                        fmt::format(fmt::runtime(rest_of_each), (i + 1) % count));
  }
  return "{\"instructions\": [\n" + list + "\n]}";
}

std::string arguments(std::size_t count) {
  std::string list;
  for (std::size_t i = 0; i < count; ++i) list += fmt::format("{}{{\"name\": \"a{}\", \"type_name\": \"any\"}}", i == 0 ? "" : ",", i);
  return "{\"arguments\": [" + list + "], \"system_event_endpoint\": \"builtin:echo\"}";
}

std::vector<Made> made() {
  const std::string prefix = R"({"description": ")";
  return {
      {"a file of 5 MiB", "document_too_large", prefix + repeated("x", 5U << 20U) + "\"}"},
      {"lists nested 10,000 deep", "nesting_too_deep", with_value(repeated("[", 10'000) + repeated("]", 10'000))},
      {"objects nested 10,000 deep", "nesting_too_deep", with_value(repeated("{\"a\":", 10'000) + "1" + repeated("}", 10'000))},
      {"lists nested 10,000 deep and never closed", "nesting_too_deep", repeated("[", 10'000)},
      {"a byte that no character begins with", "not_utf8", prefix + "\xff\"}"},
      {"a character cut short", "not_utf8", prefix + "\xe2\x82\"}"},
      {"an overlong slash", "not_utf8", prefix + "\xc0\xaf\"}"},
      {"a lone surrogate as bytes", "not_utf8", prefix + "\xed\xa0\x80\"}"},
      {"a character beyond Unicode", "not_utf8", prefix + "\xf4\x90\x80\x80\"}"},
      {"a UTF-16 file", "not_utf8", std::string{"\xff\xfe{\0}\0", 6}},
      {"a NUL in a string", "json_syntax", std::string{"{\"a\": \"\0\"}", 10}},
      {"a tab in a string", "json_syntax", "{\"a\": \"\t\"}"},
      {"a lone surrogate as an escape", "json_syntax", R"({"a": "\ud800"})"},
      {"a number of 400 digits", "number_out_of_range", with_value(repeated("9", 400))},
      {"an integer beyond 64 bits", "number_out_of_range", with_value("99999999999999999999")},
      {"a number beyond doubles", "number_out_of_range", with_value("1e999")},
      {"a number with a leading zero", "json_syntax", with_value("012")},
      {"10,001 steps", "field_value", steps(10'001, "")},
      {"a cycle of 10,000 steps", "dependency_cycle", steps(10'000, ", \"dependencies\": [\"s{}\"]")},
      {"10,000 steps that refer to nothing", "reference_unknown", steps(10'000, ", \"arguments\": {{\"x\": \"REF:t{}.y\"}}")},
      {"1,001 arguments", "field_value", arguments(1'001)},
      {"a key that is 1 MiB long", "field_unknown", "{\"system_event_endpoint\": \"builtin:echo\", \"" + repeated("k", 1U << 20U) + "\": 1}"},
      {"100,000 unknown fields", "field_unknown",
       [] {
         std::string text = R"({"system_event_endpoint": "builtin:echo")";
         for (int i = 0; i < 100'000; ++i) text += fmt::format(", \"endpoint{}\": 1", i);
         return text + "}";
       }()},
  };
}

}  // namespace

TEST_CASE("every malformed definition is refused with exactly its errors, their places and their messages", "[malformed]") {
  const auto cases = read_cases("malformed");
  REQUIRE(cases.size() >= 200);
  for (const auto& golden : cases) {
    DYNAMIC_SECTION(golden.name) {
      REQUIRE_FALSE(golden.expected.empty());
      CHECK(found_in(golden.document) == golden.expected);
    }
  }
}

TEST_CASE("definitions that are huge or no text at all are refused", "[malformed]") {
  for (const auto& each : made()) {
    DYNAMIC_SECTION(each.what) {
      auto finder = standard_tools();
      finder.add("/case.tool", each.document);
      const auto package = load_package("/case.tool", finder, kCatalog);
      REQUIRE_FALSE(package);
      CHECK(name(package.error().front().code) == each.first_error);
      CHECK(package.error().front().where.file == "/case.tool");
    }
  }
}

TEST_CASE("no prefix of a good definition crashes or is accepted", "[malformed]") {
  const std::string good = R"({"arguments": [{"name": "x", "type_name": "list"}], "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool", "conditions": [{"param": "REF:arguments.x", "operator": "exists"}],
     "parallel_execution": {"iterate_over": "REF:arguments.x", "child_argument_name": "item"}}]})";
  for (std::size_t length = 0; length < good.size(); ++length) {
    auto finder = standard_tools();
    finder.add("/case.tool", good.substr(0, length));
    CHECK_FALSE(load_package("/case.tool", finder, kCatalog));
  }
}

TEST_CASE("no slip of the keyboard in a good definition crashes, and what is refused says where", "[malformed]") {
  constexpr std::string_view kTyped = "{}[]\",:.\\ 0-R\n\x80";
  std::uint64_t seed = 0;
  for (const auto& golden : read_cases("valid")) {
    for (int round = 0; round < 40; ++round) {
      auto document = golden.document;
      const auto chance = mix(++seed);
      const auto at = chance % document.size();
      if (chance >> 63U) {
        document.erase(at, 1 + (chance >> 32U) % 8);
      } else {
        document[at] = kTyped[(chance >> 32U) % kTyped.size()];
      }
      auto finder = standard_tools();
      finder.add("/case.tool", document);
      const auto package = load_package("/case.tool", finder, kCatalog);
      if (package) continue;
      INFO(document);
      REQUIRE_FALSE(package.error().empty());
      for (const auto& error : package.error()) CHECK(error.where.line > 0);
    }
  }
}

}  // namespace catena::lang::test
