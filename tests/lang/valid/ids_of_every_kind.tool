--- expect: program case: takes (), gives (more)
--- expect: step A-1_b: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: step 0: after [0], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {x: <step0.y>}
--- expect: outputs of every step
--- document
{"instructions": [{"execution_id": "A-1_b", "tool_definition_path": "/tools/any.tool"}, {"execution_id": "0", "tool_definition_path": "/tools/any.tool", "arguments": {"x": "REF:A-1_b.y"}}]}
