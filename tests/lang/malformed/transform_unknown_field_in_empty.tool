--- expect: field_unknown 6:30 step 'use': transform_responses: 'transform' is not a field that is known here; did you mean 'transforms'?
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_responses": {"transform": {}}}]}
