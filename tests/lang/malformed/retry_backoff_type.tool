--- expect: field_type 5:27 step 'a': retry: 'backoff' must be a number, not a string
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"backoff": "2"}}
  ]
}
