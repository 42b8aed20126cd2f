--- expect: program case: takes (), gives (more)
--- expect: step a: after [], calls tool echo (builtin:echo []), ok settle, failed fail
--- expect:   bind {}
--- expect:   each ["x","y"] as 'text' join all, on failure fail
--- expect: outputs of every step
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
  "parallel_execution": {"iterate_over": ["x", "y"], "child_argument_name": "text"}}]}
