--- expect: dependency_cycle 4:22 steps wait for each other, so none could start: a -> b -> a
--- document
{
  "arguments": [],
  "instructions": [
    {"execution_id": "a", "tool_definition_path": "/tools/any.tool",
     "arguments": {"x": "REF:b.y"}},
    {"execution_id": "b", "tool_definition_path": "/tools/any.tool",
     "conditions": [{"param": "REF:a.status", "operator": "equals", "value": "failed"}]}
  ]
}
