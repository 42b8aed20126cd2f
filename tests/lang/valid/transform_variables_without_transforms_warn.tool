--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool any (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect: outputs of every step
--- expect: warns field_missing 3:27
--- document
{"arguments": [], "instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
   "transform_arguments": {"variables": {"x": 1}}}]}
