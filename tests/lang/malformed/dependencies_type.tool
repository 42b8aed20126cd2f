--- expect: field_type 5:22 step 'a': 'dependencies' must be a list, not a string
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": "b"}
  ]
}
