--- expect: json_syntax 5:25 not valid JSON: this is no value: texts stand in double quotes, and there are no comments
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": NaN}}
  ]
}
