// What has changed between two packages of one definition, step by step.
#include "lang/package/changes.hpp"

#include <catch2/catch.hpp>

#include "tests/lang/valid_package.hpp"

namespace catena::lang::test {
namespace {

using Catch::Matchers::Contains;

/// Two steps: `first`, and `second` behind it.
std::string two_steps(const std::string& first_arguments = R"({"n": 1})", const std::string& second_tool = "/tools/any.tool",
                      const std::string& more = {}) {
  return R"({"additional_arguments": true, "instructions": [
    {"execution_id": "first", "tool_definition_path": "/tools/any.tool", "arguments": )" +
         first_arguments + R"(},
    {"execution_id": "second", "tool_definition_path": ")" +
         second_tool + R"(", "arguments": {"of": "REF:first.response"}})" + more + "]}";
}

Package of(const std::string& main, const std::map<std::string, std::string>& others = {}) {
  auto finder = standard_tools();
  finder.add_program("/bin/tool", "/bin/tool");
  finder.add("/main.tool", main);
  for (const auto& [path, text] : others) finder.add(path, text);
  return valid_package(finder);
}

std::vector<StepChange> between(const Package& had, const Package& now) {
  REQUIRE(check_places(had, had.root, now, now.root));
  return changes(had, had.root, now, now.root);
}

const std::string kInner = R"({"additional_arguments": true, "instructions": [
  {"execution_id": "deep", "tool_definition_path": "/tools/any.tool", "arguments": {"n": 1}}]})";

}  // namespace

TEST_CASE("a definition that is only laid out otherwise has not changed") {
  const auto same = of("\n\n" + two_steps());
  for (const auto& change : between(of(two_steps()), same)) CHECK_FALSE(change.any());
}

TEST_CASE("other arguments are a change of arguments, and of that step alone") {
  const auto found = between(of(two_steps()), of(two_steps(R"({"n": 2})")));
  REQUIRE(found.size() == 2);
  CHECK(found[0].arguments);
  CHECK_FALSE(found[0].tool);
  CHECK_FALSE(found[1].any());
}

TEST_CASE("another tool, and another content of its program, is a change of the tool") {
  const std::string program = R"({"additional_arguments": true, "system_event_endpoint": "exec:/bin/tool"})";
  const std::string other = R"({"additional_arguments": true, "system_event_endpoint": "exec:/bin/tool -x"})";
  CHECK(between(of(two_steps(R"({"n": 1})", "/p.tool"), {{"/p.tool", program}}), of(two_steps(R"({"n": 1})", "/p.tool"), {{"/p.tool", other}}))[1]
            .tool);
  auto had = of(two_steps(R"({"n": 1})", "/p.tool"), {{"/p.tool", program}});
  auto now = had;
  REQUIRE(pin_programs(had, {{"/bin/tool", std::string(64, 'a')}}));
  REQUIRE(pin_programs(now, {{"/bin/tool", std::string(64, 'b')}}));
  const auto found = between(had, now);
  CHECK_FALSE(found[0].any());
  CHECK(found[1].tool);
}

TEST_CASE("a change inside of a definition that a step calls is told as one, however deep") {
  const auto nested = [](const std::string& inner) {
    return of(two_steps(R"({"n": 1})", "/outer.tool"),
              {{"/outer.tool", R"({"additional_arguments": true, "instructions": [{"execution_id": "in", "tool_definition_path": "/inner.tool"}]})"},
               {"/inner.tool", inner}});
  };
  auto other = kInner;
  other.replace(other.find("\"n\": 1"), 6, "\"n\": 7");
  const auto found = between(nested(kInner), nested(other));
  CHECK(found[1].nested);
  CHECK_FALSE(found[1].tool);
  CHECK_FALSE(between(nested(kInner), nested(kInner + "\n"))[1].any());
}

TEST_CASE("steps may be added behind the others, and neither go nor move nor change their names") {
  const auto had = of(two_steps());
  const auto third = of(two_steps(R"({"n": 1})", "/tools/any.tool", R"(,{"execution_id": "third", "tool_definition_path": "/tools/any.tool"})"));
  CHECK(between(had, third).size() == 2);
  const auto gone = check_places(third, third.root, had, had.root);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == Code::chain_state);
  CHECK_THAT(gone.error().message, Contains("step 'third' is not in it any more"));
  CHECK_THAT(gone.error().notes.front(), Contains("add new ones behind them"));
  const auto swapped = of(R"({"additional_arguments": true, "instructions": [
    {"execution_id": "second", "tool_definition_path": "/tools/any.tool", "arguments": {"of": "REF:first.response"}},
    {"execution_id": "first", "tool_definition_path": "/tools/any.tool", "arguments": {"n": 1}}]})");
  const auto moved = check_places(had, had.root, swapped, swapped.root);
  REQUIRE_FALSE(moved);
  CHECK_THAT(moved.error().message, Contains("step 'first' was the 1. one and is the 2. now"));
}

}  // namespace catena::lang::test
