--- expect: field_value 5:32 step 'a': retry: 'max_interval' must be at least 1ms; leave it out for no limit
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "retry": {"max_interval": "0s"}}
  ]
}
