--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls program a (/case.tool#a), ok settle, failed fail
--- expect:   bind {x: 1}
--- expect: outputs of every step
--- expect: at /case.tool#a
--- expect: program a: takes (x:integer), gives (more)
--- expect: step b: after [], calls program innermost (/case.tool#a#b), ok settle, failed fail
--- expect:   bind {}
--- expect: step d: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {y: <input.x>}
--- expect: outputs of every step
--- expect: at /case.tool#a#b
--- expect: program innermost: takes (), gives (more)
--- expect: step c: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs of every step
--- document
{"instructions": [{"execution_id": "a", "arguments": {"x": 1},
  "tool_definition": {"arguments": [{"name": "x", "type_name": "integer"}], "instructions": [
    {"execution_id": "b", "tool_definition": {"name": "innermost", "instructions": [{"execution_id": "c", "tool_definition_path": "/tools/any.tool"}]}},
    {"execution_id": "d", "tool_definition_path": "/tools/any.tool", "arguments": {"y": "REF:arguments.x"}}]}}]}
