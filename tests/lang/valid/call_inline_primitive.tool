--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool a (builtin:sleep []), ok settle, failed fail
--- expect:   bind {x: 1}
--- expect:   timeout 3s
--- expect: outputs of every step
--- document
{"instructions": [{"execution_id": "a", "arguments": {"x": 1},
  "tool_definition": {"arguments": [{"name": "x", "type_name": "integer"}], "system_event_endpoint": "builtin:sleep", "timeout": "3s"}}]}
