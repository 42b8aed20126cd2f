--- expect: variable_unknown 6:81 step 'use': transform_arguments: 'mode': 'count' is a function; call it: count(array, condition_string=null)
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/echo.tool",
     "arguments": {"text": "x"}, "transform_arguments": {"transforms": {"mode": "count"}}}]}
