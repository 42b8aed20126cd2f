--- expect: field_type 5:23
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "needs": ["gpu", 2]}
  ]
}
