--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: "see REF:none.y", y: "REF:none.y", z: "ref:none.y"}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "see REF:none.y", "y": "\\REF:none.y", "z": "ref:none.y"}}
  ]
}
