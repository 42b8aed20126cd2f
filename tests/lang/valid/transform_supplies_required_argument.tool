--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool echo (builtin:echo []), ok settle, failed fail
--- expect:   bind {count: "not a count"}
--- expect:   prepare sets text: `'x'`
--- expect:   prepare sets count: `1`
--- expect: outputs of every step
--- document
{"arguments": [], "instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "arguments": {"count": "not a count"},
   "transform_arguments": {"transforms": {"text": "'x'", "count": "1"}}}]}
