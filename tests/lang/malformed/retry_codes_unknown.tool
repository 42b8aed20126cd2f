--- expect: field_value 5:33 step 'a': retry: 'non_retryable' has 'tool_faild', which is not an error code; did you mean 'tool_failed'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"non_retryable": ["tool_faild"]}}
  ]
}
