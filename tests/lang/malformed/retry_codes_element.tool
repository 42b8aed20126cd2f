--- expect: field_type 5:34
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"non_retryable": [1]}}
  ]
}
