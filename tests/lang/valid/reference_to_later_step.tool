--- expect: program case: takes (), gives (more)
--- expect: step a: after [1], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <step1.y>}
--- expect: step b: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:b.y"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool"}
  ]
}
