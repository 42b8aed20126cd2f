--- expect: field_missing 1:19
--- document
{"instructions": [{"execution_id": "a"}]}
