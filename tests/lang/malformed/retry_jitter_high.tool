--- expect: field_value 5:26
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"jitter": 1.5}}
  ]
}
