// What can be written at a place of a definition: | stands where somebody writes.
#include "lang/assist/complete.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/lang/memory_finder.hpp"

namespace catena::lang::test {
namespace {

/// The finder that a coordinator has: it knows what there is.
class KnownTools final : public SourceFinder {
 public:
  Result<Source> definition(std::string_view path, std::string_view from) const override { return tools_.definition(path, from); }
  Result<Source> named(std::string_view name, std::string_view from) const override { return tools_.named(name, from); }
  Result<std::string> program(std::string_view program, std::string_view from) const override { return tools_.program(program, from); }
  std::vector<std::string> names() const override { return {"any", "echo", "list", "twice"}; }
  std::vector<std::string> paths() const override { return {"/tools/any.tool", "/tools/echo.tool", "/agents/writer.agent"}; }

 private:
  MemoryFinder tools_ = standard_tools();
};

Completions at_bar(std::string text) {
  const auto bar = text.find('|');
  REQUIRE(bar != std::string::npos);
  text.erase(bar, 1);
  Place at;
  at.line = 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bar), '\n'));
  const auto line = text.rfind('\n', bar == 0 ? 0 : bar - 1);
  at.column = static_cast<std::uint32_t>(bar - (line == std::string::npos ? 0 : line + 1)) + 1;
  return complete(text, "inline/d", at, KnownTools{}, kCatalog);
}

std::vector<std::string> labels(const Completions& told) {
  std::vector<std::string> all;
  for (const auto& row : told.rows) all.push_back(row.label);
  return all;
}
bool offers(const Completions& told, const std::string& label, CompletionKind kind) {
  return std::ranges::any_of(told.rows, [&](const Completion& row) { return row.label == label && row.kind == kind; });
}

std::string with_second(const std::string& second) {
  return R"({"instructions": [
  {"execution_id": "first", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "a"}},
  )" + second +
         "]}";
}

}  // namespace

TEST_CASE("completion of steps, references, arguments and tools in a JSON definition") {
  CHECK(offers(at_bar(with_second(R"({"execution_id": "b", "tool_definition_path": "/tools/any.tool", "dependencies": ["fi|"]})")), "first",
               CompletionKind::step));
  const auto reference =
      at_bar(with_second(R"({"execution_id": "b", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "REF:fi|"}})"));
  CHECK(offers(reference, "first", CompletionKind::reference));
  const auto member =
      at_bar(with_second(R"({"execution_id": "b", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "REF:first.|"}})"));
  CHECK(offers(member, "length", CompletionKind::reference));
  CHECK(offers(member, "text", CompletionKind::reference));
  const auto argument = at_bar(with_second(R"({"execution_id": "b", "tool_definition_path": "/tools/echo.tool", "arguments": {"te|": "x"}})"));
  CHECK(labels(argument) == std::vector<std::string>{"text"});
  CHECK(argument.rows.front().kind == CompletionKind::key);
  const auto path = at_bar(with_second(R"({"execution_id": "b", "tool_definition_path": "/tools/ec|"})"));
  CHECK(labels(path) == std::vector<std::string>{"/tools/echo.tool"});
  CHECK(path.rows.front().kind == CompletionKind::tool);
}

TEST_CASE("completion of keys: those that the object does not have, in a text that is not whole yet") {
  const auto in_string = at_bar(with_second(R"({"execution_id": "b", "cond|": null})"));
  CHECK(labels(in_string) == std::vector<std::string>{"conditions"});
  CHECK(in_string.rows.front().insert == "conditions");
  const auto bare = at_bar(with_second(R"({"execution_id": "b", | })"));
  CHECK(offers(bare, "dependencies", CompletionKind::key));
  CHECK_FALSE(offers(bare, "execution_id", CompletionKind::key));
  const auto first = std::ranges::find(bare.rows, std::string{"dependencies"}, &Completion::label);
  CHECK(first->insert == "\"dependencies\": ");
  const auto open = at_bar("{\"instructions\": [{\"execution_id\": \"a\", \"dep|");
  CHECK(offers(open, "dependencies", CompletionKind::key));
  const auto behind = at_bar("{\"instructions\": [{\"execution_id\": \"a\", \"tool_definition_path\": \"/tools/any.tool\" dep|}]}");
  CHECK(offers(behind, "dependencies", CompletionKind::key));
}

TEST_CASE("completion in a YAML definition: the word begins where it says") {
  const std::string head = "instructions:\n- execution_id: first\n  tool_definition_path: /tools/echo.tool\n  arguments:\n    text: a\n";
  const auto key = at_bar(head + "- execution_id: b\n  dep|\n  tool_definition_path: /tools/any.tool\n");
  REQUIRE(labels(key) == std::vector<std::string>{"dependencies"});
  CHECK(key.rows.front().insert == "dependencies: ");
  CHECK(key.column == 3);
  const auto step = at_bar(head + "- execution_id: b\n  tool_definition_path: /tools/any.tool\n  dependencies: [|");
  CHECK(offers(step, "first", CompletionKind::step));
  const auto reference = at_bar(head + "- execution_id: b\n  tool_definition_path: /tools/any.tool\n  arguments:\n    x: REF:fi|");
  REQUIRE(offers(reference, "first", CompletionKind::reference));
  CHECK(reference.column == 12);
  const auto path = at_bar(head + "- execution_id: b\n  tool_definition_path: /to|\n");
  CHECK(offers(path, "/tools/any.tool", CompletionKind::tool));
  CHECK(path.column == 25);
}

TEST_CASE("completion of texts that nobody can read answers nothing, and ends") {
  for (const auto* text : {"|", "{|", "[[[|", "\"|", "{\"a\": {|", ": : |", "|{]"}) {
    INFO(text);
    CHECK(at_bar(text).rows.size() <= kCompletionsMax);
  }
  CHECK(complete("{}", "inline/d", {{}, 900, 900}, KnownTools{}, kCatalog).rows.size() <= kCompletionsMax);
}

TEST_CASE("a probe changes no verdict: without one the checker says what it says") {
  auto finder = standard_tools();
  finder.add("/d", R"({"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/any.tool", "dependencies": ["b"]}]})");
  Probe probe{"zz"};
  const auto with = load_package("/d", finder, kCatalog, &probe);
  const auto without = load_package("/d", finder, kCatalog);
  REQUIRE_FALSE(with);
  REQUIRE_FALSE(without);
  CHECK(with.error() == without.error());
  CHECK(probe.known.empty());
}

}  // namespace catena::lang::test
