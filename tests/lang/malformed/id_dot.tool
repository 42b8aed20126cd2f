--- expect: id_invalid 1:36
--- document
{"instructions": [{"execution_id": "a.b", "tool_definition_path": "/tools/any.tool"}]}
