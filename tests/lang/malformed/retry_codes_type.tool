--- expect: field_type 5:33 step 'a': retry: 'non_retryable' must be a list, not a string
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"non_retryable": "tool_failed"}}
  ]
}
