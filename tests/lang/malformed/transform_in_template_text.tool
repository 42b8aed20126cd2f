--- expect: variable_unknown 6:75 step 'use': transform_arguments: 'x': there is no variable 'itme'; did you mean 'item'?; there are: xs, item
--- expect: expression_syntax 7:13 step 'use': transform_arguments: 'y': the expression ends where a value is expected
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"xs": []}, "transforms": {"x": "map(xs, 'itme.n')",
       "y": "filter(xs, 'item >')"}}}]}
