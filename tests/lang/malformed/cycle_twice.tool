--- expect: dependency_cycle 2:20 steps wait for each other, so none could start: a -> b -> a
--- expect: dependency_cycle 4:20 steps wait for each other, so none could start: c -> d -> c
--- document
{"instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool", "dependencies": ["b"]},
  {"execution_id": "b", "tool_definition_path": "/tools/any.tool", "dependencies": ["a"]},
  {"execution_id": "c", "tool_definition_path": "/tools/any.tool", "dependencies": ["d"]},
  {"execution_id": "d", "tool_definition_path": "/tools/any.tool", "dependencies": ["c"]}]}
