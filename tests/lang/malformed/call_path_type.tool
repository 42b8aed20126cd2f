--- expect: field_type 1:65 step 'a': 'tool_definition_path' must be a string, not a number
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": 7}]}
