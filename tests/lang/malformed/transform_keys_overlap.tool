--- expect: fields_exclusive 6:57
--- expect: fields_exclusive 6:77
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"transforms": {"a.b": "1", "a": "1", "c": "1", "c.d.e": "1"}}}]}
