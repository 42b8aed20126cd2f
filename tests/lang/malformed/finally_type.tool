--- expect: field_type 4:81 step 'a': 'finally' must be a boolean, not a string
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool", "finally": "always"}
  ]
}
