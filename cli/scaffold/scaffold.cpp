#include "cli/scaffold/scaffold.hpp"

#include <algorithm>
#include <array>

namespace catena::cli {
namespace {

// In all texts @ stands for the name.

constexpr std::string_view kTool = R"({
  "name": "@",
  "description": "What it does, in a sentence.",
  "arguments": [{"name": "text", "type_name": "string", "default_value": "hello", "description": "what is handed from step to step"}],
  "responses": [{"name": "text", "type_name": "string", "required": true}],
  "instructions": [
    {"execution_id": "first", "tool_definition_path": "/tools/@_step.tool", "arguments": {"text": "REF:arguments.text"}},
    {"execution_id": "second", "tool_definition_path": "/tools/@_step.tool", "arguments": {"text": "REF:first.text"}}
  ],
  "response_reference_map": {"text": "REF:second.text"}
}
)";

constexpr std::string_view kComposite = R"(name: @
description: What it does, in a sentence.
parameters:
  - {name: text, type: string, default: hello, description: what is handed from step to step}
implementation:
  type: composite
  composite:
    steps:
      - name: first
        tool: @_step
        inputs: {text: "{{ text }}"}
        on_success:
          map_outputs: {text: said}
      - name: second
        tool: @_step
        inputs: {text: "{{ said }}"}
        on_success:
          map_outputs: {text: answer}
)";

constexpr std::string_view kPipeline = R"(name: @
description: What it does, in a sentence.
inputSchema:
  type: object
  properties:
    text: {type: string, description: what is handed from step to step}
  required: [text]
steps:
  - name: first
    tool: @_step
    inputMapping: {text: $input.text}
  - name: second
    tool: @_step
    inputMapping: {text: $prev.text}
)";

constexpr std::string_view kStepTool = R"({
  "name": "@_step",
  "description": "Answers with the text that it is given.",
  "arguments": [{"name": "text", "type_name": "string", "required": true}],
  "responses": [{"name": "text", "type_name": "string", "required": true}],
  "timeout": "30s",
  "system_event_endpoint": "exec:bin/@_step.sh"
}
)";

constexpr std::string_view kStepProgram = R"(#!/bin/sh
# The arguments come as one JSON object on stdin, the response goes as one to stdout. Exit code 0: it worked; 75: it may work later; any other:
# it failed. What is written to stderr is kept with the error. This one answers with its arguments.
exec cat
)";

// ^ stands for what is expected of a good end.
constexpr std::string_view kTest = R"(# catena test runs this; docs/testing-definitions.md tells the format.
definition: ~
tests:
  - name: the text goes through both steps
    arguments: {text: hello}
    stubs:
      - tool: @_step
        answers:
          - response: {text: one}
          - response: {text: two}
    expect:
      ^
      sent:
        first: {text: hello}
        second: {text: one}
      executions: {@_step: 2}

  - name: it fails where its tool does
    arguments: {text: hello}
    stubs:
      - tool: @_step
        error: {code: tool_failed, message: out of order}
    expect:
      status: failed
      error: {code: tool_failed, message: out of order}
      executions: {@_step: 1}
)";

struct Kind {
  std::string_view name;
  std::string_view ending;
  std::string_view definition;
  std::string_view expected;
};

constexpr std::array kKinds{
    Kind{"tool", ".tool", kTool, "response: {text: two}"},
    Kind{"composite", ".yaml", kComposite, "contains: {success: true, final_state: {answer: two}}"},
    Kind{"pipeline", ".yaml", kPipeline, "response: {text: two}"},
};

std::string filled(std::string_view text, std::string_view mark, std::string_view value) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = std::min(text.find(mark, at), text.size());
    out += text.substr(at, found - at);
    if (found < text.size()) out += value;
    at = found + mark.size();
  }
  return out;
}

}  // namespace

const std::vector<std::string>& scaffold_kinds() {
  static const auto kNames = [] {
    std::vector<std::string> names;
    for (const auto& kind : kKinds) names.emplace_back(kind.name);
    return names;
  }();
  return kNames;
}

Scaffold make_scaffold(std::string_view kind, const std::string& name) {
  const auto& row = *std::ranges::find(kKinds, kind, &Kind::name);
  Scaffold made;
  made.definition = name + std::string{row.ending};
  made.test = name + ".test.yaml";
  const auto text = [&](std::string_view given) { return filled(given, "@", name); };
  made.files.push_back({made.definition, text(row.definition)});
  made.files.push_back({"tools/" + name + "_step.tool", text(kStepTool)});
  made.files.push_back({"tools/bin/" + name + "_step.sh", std::string{kStepProgram}, true});
  made.files.push_back({made.test, text(filled(filled(kTest, "~", made.definition), "^", row.expected))});
  return made;
}

}  // namespace catena::cli
