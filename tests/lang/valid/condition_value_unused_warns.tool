--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   when all(1 exists true)
--- expect: outputs of every step
--- expect: warns field_unknown 5:65
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": 1, "operator": "exists", "value": true}]}
  ]
}
