--- expect: field_type 1:60
--- document
{"instructions": [{"execution_id": "a", "tool_definition": "x"}]}
