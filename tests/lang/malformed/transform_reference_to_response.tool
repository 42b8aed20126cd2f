--- expect: reference_unknown 6:49
--- expect: reference_unknown 6:86
--- expect: reference_unknown 7:25
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": "REF:response"}, "transforms": {"x": "REF:response.n"}},
     "arguments": {"b": "REF:response"}}]}
