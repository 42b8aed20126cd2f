--- expect: dependency_cycle 3:20 steps wait for each other, so none could start: a -> c -> b -> a
--- document
{"instructions": [
  {"execution_id": "free", "tool_definition_path": "/tools/any.tool"},
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool", "dependencies": ["c", "free"]},
  {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "dependencies": ["a"]},
  {"execution_id": "c", "tool_definition_path": "/tools/any.tool", "dependencies": ["b"]}]}
