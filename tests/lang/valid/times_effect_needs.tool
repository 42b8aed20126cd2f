--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   timeout 1500ms
--- expect:   deadline 1h
--- expect:   effect pure
--- expect:   needs a, b
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "timeout": "1.5s", "deadline": "1h", "effect": "pure", "needs": ["b", "a", "b"]}
  ]
}
