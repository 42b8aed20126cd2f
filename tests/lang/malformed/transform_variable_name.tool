--- expect: id_invalid 6:44
--- expect: id_invalid 6:58
--- expect: id_invalid 6:68
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"my-name": 1, "2nd": 2, "in": 3}, "transforms": {"x": "1"}}}]}
