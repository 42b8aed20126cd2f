--- expect: variable_unknown 6:59 step 'use': transform_arguments: 'b': there is no variable 'a'; there are no variables here
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"a": [1], "b": "first(a)"}, "transforms": {"x": "b"}}}]}
