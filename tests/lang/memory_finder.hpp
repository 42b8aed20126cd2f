#pragma once
// Definitions and programs in memory, and the tools that the golden cases call.
#include <map>
#include <string>

#include "lang/package/package.hpp"
#include "tests/lang/named_texts.hpp"

namespace catena::lang::test {

class MemoryFinder final : public SourceFinder {
 public:
  MemoryFinder() = default;
  explicit MemoryFinder(std::map<std::string, std::string> definitions) : definitions_{std::move(definitions)} {}

  void add(const std::string& key, std::string text) { definitions_[key] = std::move(text); }
  void add_program(const std::string& name, std::string path) { programs_[name] = std::move(path); }

  Result<Source> definition(std::string_view path, std::string_view) const override {
    ++lookups;
    if (path.find("..") != std::string_view::npos) return fail(Code::path_outside_root, "leaves its root");
    const auto found = definitions_.find(std::string{path});
    if (found == definitions_.end()) return fail(Code::definition_not_found, "nowhere: " + std::string{path});
    return Source{found->first, found->second};
  }

  Result<Source> named(std::string_view name, std::string_view) const override {
    ++lookups;
    return named_in(definitions_, name);
  }
  bool may_have(std::string_view name) const override { return named_in(definitions_, name).has_value(); }

  Result<std::string> program(std::string_view program, std::string_view) const override {
    const auto found = programs_.find(std::string{program});
    if (found == programs_.end()) return fail(Code::program_not_found, "no program " + std::string{program});
    return found->second;
  }

  mutable int lookups = 0;

 private:
  std::map<std::string, std::string> definitions_;
  std::map<std::string, std::string> programs_;
};

inline const Catalog kCatalog{{"echo", "sleep", "list"}};

/// any: takes and returns anything. echo: a strict schema. twice: a composite. list: responses. careful: settings of its own.
/// filer: files. writer: an agent.
inline MemoryFinder standard_tools() {
  MemoryFinder finder;
  finder.add("/tools/any.tool", R"({"additional_arguments": true, "system_event_endpoint": "builtin:echo"})");
  finder.add("/tools/echo.tool", R"({
    "arguments": [
      {"name": "text", "type_name": "string", "required": true},
      {"name": "count", "type_name": "integer", "default_value": 1},
      {"name": "mode", "type_name": "string", "enum": ["fast", "slow"]}],
    "responses": [{"name": "text", "type_name": "string", "required": true}, {"name": "length", "type_name": "integer"}],
    "system_event_endpoint": "builtin:echo"})");
  finder.add("/tools/list.tool", R"({
    "responses": [{"name": "items", "type_name": "list", "required": true}],
    "system_event_endpoint": "builtin:list"})");
  finder.add("/tools/careful.tool", R"({
    "additional_arguments": true, "retry": {"max_attempts": 5, "initial_interval": "2s"}, "timeout": "30s", "deadline": "5m",
    "effect": "at_most_once", "needs": ["network"], "system_event_endpoint": "builtin:sleep"})");
  finder.add("/tools/filer.tool", R"({
    "arguments": [{"name": "file", "type_name": "file"}, {"name": "text", "type_name": "string"}],
    "responses": [{"name": "out", "type_name": "file"}, {"name": "note", "type_name": "string"}],
    "system_event_endpoint": "builtin:echo"})");
  finder.add("/agents/writer.agent", R"({
    "argument_definitions": [{"name": "topic", "type": "string", "required": true}, {"name": "length", "type_name": "integer"}],
    "response_definitions": [{"name": "draft", "type": "string", "required": true}],
    "system_event_endpoint": "builtin:echo"})");
  finder.add("/tools/run.tool", R"({
    "arguments": [{"name": "x", "type_name": "any"}], "system_event_endpoint": "exec:run.sh --fast 'two words' \"it's\""})");
  finder.add_program("run.sh", "/opt/bin/run.sh");
  finder.add("/tools/twice.tool", R"({
    "arguments": [{"name": "text", "type_name": "string", "required": true}],
    "responses": [{"name": "both", "type_name": "list"}],
    "instructions": [
      {"execution_id": "one", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "REF:arguments.text"}},
      {"execution_id": "two", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "REF:one.text"}}],
    "response_reference_map": {"both": ["REF:one.text", "REF:two.text"]}})");
  return finder;
}

/// All of a document's errors in one string, for messages of tests.
inline std::string rendered(const std::vector<Error>& errors) {
  std::string text;
  for (const auto& error : errors) text += render(error) + "\n";
  return text;
}

}  // namespace catena::lang::test
