--- expect: field_value 1:65 step 'a': 'tool_definition_path' must not be empty
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": ""}]}
