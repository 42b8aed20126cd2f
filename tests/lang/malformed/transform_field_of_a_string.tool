--- expect: argument_type 6:45 step 'use': tool 'echo': argument 'text' is of the type string; 'text.a' sets a field of an object
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/echo.tool",
     "transform_arguments": {"transforms": {"text.a": "1"}}}]}
