--- expect: field_value 5:26 step 'a': retry: 'jitter' must be from 0 to 1, not 1.5
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"jitter": 1.5}}
  ]
}
