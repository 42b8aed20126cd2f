--- expect: field_type 5:15 step 'a': 'needs' must be a list, not a string
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "needs": "gpu"}
  ]
}
