--- expect: field_value 5:33
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"non_retryable": ["tool_faild"]}}
  ]
}
