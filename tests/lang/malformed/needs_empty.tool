--- expect: field_value 5:16 step 'a': 'needs' must not have empty strings in it
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "needs": [""]}
  ]
}
