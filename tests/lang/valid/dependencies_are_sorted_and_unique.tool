--- expect: program case: takes (), gives (more)
--- expect: step c: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step b: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step a: after [0,1], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <step0.y>, z: <step1.y>}
--- expect: outputs of every step
--- document
{"instructions": [
  {"execution_id": "c", "tool_definition_path": "/tools/any.tool"},
  {"execution_id": "b", "tool_definition_path": "/tools/any.tool"},
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool", "dependencies": ["b", "c", "b"], "arguments": {"x": "REF:c.y", "z": "REF:b.y"}}]}
