--- expect: dependency_unknown 5:23
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "dependencies": ["b"]}
  ]
}
