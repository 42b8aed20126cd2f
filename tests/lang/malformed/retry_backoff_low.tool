--- expect: field_value 5:27 step 'a': retry: 'backoff' must be from 1 to 1000, not 0.5
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"backoff": 0.5}}
  ]
}
