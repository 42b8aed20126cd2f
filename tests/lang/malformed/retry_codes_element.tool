--- expect: field_type 5:34 step 'a': retry: 'non_retryable' must be a list of strings; this element is a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"non_retryable": [1]}}
  ]
}
