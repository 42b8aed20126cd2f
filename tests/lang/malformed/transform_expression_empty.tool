--- expect: expression_syntax 6:50 step 'use': transform_arguments: 'x': an expression is expected here, but the text is empty
--- document
{
  "arguments": [{"name": "text", "type_name": "string"}, {"name": "report", "type_name": "file"}],
  "instructions": [
    {"execution_id": "fetch", "tool_definition_path": "/tools/echo.tool", "arguments": {"text": "x"}},
    {"execution_id": "use", "tool_definition_path": "/tools/any.tool",
     "transform_arguments": {"transforms": {"x": ""}}}]}
