--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed settle
--- expect:   bind {}
--- expect: step b: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "on_failure": "continue"},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "on_failure": "fail"}
  ]
}
