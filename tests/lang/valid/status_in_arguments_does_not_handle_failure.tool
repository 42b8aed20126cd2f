--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <step0.status>, y: <step0.error>}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:a.status", "y": "REF:a.error"}}
  ]
}
