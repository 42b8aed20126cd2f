--- expect: field_value 5:32 step 'a': retry: 'max_attempts' must be a whole number from 0 to 4294967295, not 1.5
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"max_attempts": 1.5}}
  ]
}
