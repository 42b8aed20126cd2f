--- expect: id_reserved 1:36
--- document
{"instructions": [{"execution_id": "response", "tool_definition_path": "/tools/any.tool"}]}
