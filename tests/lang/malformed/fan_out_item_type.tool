--- expect: argument_type 2:48
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
  "parallel_execution": {"iterate_over": ["x", 2, "y"], "child_argument_name": "text"}}]}
