--- expect: field_value 1:65
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": ""}]}
