--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step b: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs {x: <step1.y>, n: {deep: [<step0.response.length>,1]}}
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ],
  "response_reference_map": {"x": "REF:b.y", "n": {"deep": ["REF:a.response.length", 1]}}
}
