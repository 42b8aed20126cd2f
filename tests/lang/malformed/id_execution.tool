--- expect: id_reserved 1:36
--- document
{"instructions": [{"execution_id": "execution", "tool_definition_path": "/tools/any.tool"}]}
