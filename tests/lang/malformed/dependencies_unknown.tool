--- expect: dependency_unknown 5:23 step 'a': 'dependencies' has 'b', which is no step
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": ["b"]}
  ]
}
