--- expect: field_type 5:23 step 'a': 'needs' must be a list of strings; this element is a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "needs": ["gpu", 2]}
  ]
}
