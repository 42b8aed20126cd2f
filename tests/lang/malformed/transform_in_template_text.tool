--- expect: variable_unknown 6:75
--- expect: expression_syntax 7:13
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"variables": {"xs": []}, "transforms": {"x": "map(xs, 'itme.n')",
       "y": "filter(xs, 'item >')"}}}]}
