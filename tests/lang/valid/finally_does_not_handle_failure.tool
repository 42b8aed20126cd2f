--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step y: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   finally
--- expect: step z: after [0,1], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <step1.x>}
--- expect:   when all(<step0.status> equals "failed")
--- expect:   finally
--- expect: outputs of every step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
    {"execution_id": "y", "tool_definition_path": "/tools/any.tool", "finally": true},
    {"execution_id": "z", "tool_definition_path": "/tools/any.tool", "finally": true, "arguments": {"x": "REF:y.x"},
     "conditions": [{"param": "REF:a.status", "operator": "equals", "value": "failed"}]}
  ]
}
