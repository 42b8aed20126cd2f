--- expect: field_type 5:23 step 'a': 'dependencies' must be a list of execution ids; this element is a number
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": [1]}
  ]
}
