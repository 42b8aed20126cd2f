--- expect: field_type 1:60 step 'a': 'tool_definition' must be an object, not a string
--- document
{"instructions": [{"execution_id": "a", "tool_definition": "x"}]}
