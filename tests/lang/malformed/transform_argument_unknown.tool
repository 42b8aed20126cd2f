--- expect: argument_unknown 6:73 step 'use': tool 'echo' declares no argument 'cuont'; did you mean 'count'?
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x"}, "transform_arguments": {"transforms": {"cuont": "1"}}}]}
