--- expect: dependency_cycle 4:22
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": ["b"]},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "dependencies": ["a"]}
  ]
}
