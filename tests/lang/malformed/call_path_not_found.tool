--- expect: definition_not_found 1:65 nowhere: /tools/none.tool
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/none.tool"}]}
