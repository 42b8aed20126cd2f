--- expect: argument_unknown 2:72 step 'a': tool 'echo' declares no argument 'texts'; did you mean 'text'?
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"},
  "parallel_execution": {"iterate_over": ["x"], "child_argument_name": "texts"}}]}
