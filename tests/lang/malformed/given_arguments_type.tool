--- expect: field_type 5:19 step 'a': 'arguments' must be an object, not a list
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": [1]}
  ]
}
