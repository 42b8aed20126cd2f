--- expect: field_unknown 5:16
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"max_attempt": 3}}
  ]
}
