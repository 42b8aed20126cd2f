--- expect: field_value 5:32
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"max_attempts": 1.5}}
  ]
}
