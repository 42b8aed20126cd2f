--- expect: field_type 5:20 step 'a': 'on_failure' must be a string, not a boolean
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "on_failure": false}
  ]
}
