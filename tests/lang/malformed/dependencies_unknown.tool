--- expect: dependency_unknown 5:23 step 'a': 'dependencies' has 'b', which is no step; did you mean 'a'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": ["b"]}
  ]
}
