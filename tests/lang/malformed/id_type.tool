--- expect: field_type 1:36
--- document
{"instructions": [{"execution_id": 1, "tool_definition_path": "/tools/any.tool"}]}
