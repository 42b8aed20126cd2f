--- expect: json_syntax 5:25 not valid JSON: invalid literal
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": NaN}}
  ]
}
