--- expect: field_unknown 6:30 step 'use': transform_arguments: 'variable' is not a field that is known here; did you mean 'variables'?
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variable": {"a": 1}, "transforms": {"x": "1"}}}]}
