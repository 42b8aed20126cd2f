--- expect: id_duplicate 3:20 step 'a': 'execution_id' is taken by instruction 1
--- document
{"instructions": [
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool"},
  {"execution_id": "a", "tool_definition_path": "/tools/any.tool"}]}
