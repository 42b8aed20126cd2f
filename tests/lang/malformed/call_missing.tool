--- expect: field_missing 1:19 step 'a' needs 'tool_definition_path' or 'tool_definition': what it calls
--- document
{"instructions": [{"execution_id": "a"}]}
