--- expect: dependency_self 5:23 step 'a': 'dependencies' names the step itself
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": ["a"]}
  ]
}
