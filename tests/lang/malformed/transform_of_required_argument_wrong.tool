--- expect: variable_unknown 2:139
--- document
{"arguments": [], "instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/echo.tool", "transform_arguments": {"variables": {"x": 1}, "transforms": {"text": "join(y)"}}}]}
