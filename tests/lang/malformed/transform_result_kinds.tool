--- expect: field_type 7:13
--- expect: field_type 8:13
--- expect: field_type 9:13
--- expect: field_type 10:13
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"transforms": {
       "a": 1,
       "b": [1],
       "c": {"d": "1"},
       "e": null}}}]}
