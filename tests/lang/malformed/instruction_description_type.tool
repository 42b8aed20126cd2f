--- expect: field_type 5:21 step 'a': 'description' must be a string, not a list
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "description": []}
  ]
}
