--- expect: argument_type 2:48 step 'a': tool 'echo': argument 'text' is of the type string, and 2 is not
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/echo.tool",
  "parallel_execution": {"iterate_over": ["x", 2, "y"], "child_argument_name": "text"}}]}
