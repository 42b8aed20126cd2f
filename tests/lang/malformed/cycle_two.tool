--- expect: dependency_cycle 4:22 steps wait for each other, so none could start: a -> b -> a
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
