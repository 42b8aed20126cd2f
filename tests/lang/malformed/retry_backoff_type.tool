--- expect: field_type 5:27
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"backoff": "2"}}
  ]
}
