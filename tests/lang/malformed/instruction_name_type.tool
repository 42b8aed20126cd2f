--- expect: field_type 5:14 step 'a': 'name' must be a string, not a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "name": 1}
  ]
}
