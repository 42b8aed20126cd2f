--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs of every step
--- expect: on failure cancel
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}
  ],
  "failure_policy": "cancel"
}
