--- expect: variable_unknown 2:139 step 'a': transform_arguments: 'text': there is no variable 'y'; there are: x
--- document
{"arguments": [], "instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "transform_arguments": {"variables": {"x": 1}, "transforms": {"text": "join(y)"}}}]}
