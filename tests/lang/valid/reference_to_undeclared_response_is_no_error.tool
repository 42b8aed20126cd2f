--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool echo (builtin:echo []), ok settle, failed fail
--- expect:   bind {text: "x"}
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <step0.response.whatever>}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:a.response.whatever"}}
  ]
}
