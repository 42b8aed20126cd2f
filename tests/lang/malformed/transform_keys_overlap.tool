--- expect: fields_exclusive 6:57 step 'use': transform_arguments: 'a.b' and 'a' set the same place
--- expect: fields_exclusive 6:77 step 'use': transform_arguments: 'c' and 'c.d.e' set the same place
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"transforms": {"a.b": "1", "a": "1", "c": "1", "c.d.e": "1"}}}]}
