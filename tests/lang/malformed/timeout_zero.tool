--- expect: field_value 5:17 step 'a': 'timeout' must be at least 1ms; leave it out for no limit
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "timeout": "0s"}
  ]
}
