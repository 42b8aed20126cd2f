--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed settle
--- expect:   bind {}
--- expect: step b: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   when all(<step0.error_message> exists null)
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": "REF:a.error_message", "operator": "exists"}]}
  ]
}
