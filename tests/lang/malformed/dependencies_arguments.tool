--- expect: dependency_unknown 5:23 step 'a': 'dependencies' has 'arguments', which is no step; did you mean 'arguments'?
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": ["arguments"]}
  ]
}
