--- expect: field_missing 1:47
--- document
{"argument_definitions": [], "instructions": [{"execution_id": "a"}]}
