--- expect: field_missing 1:47 step 'a' needs 'agent_definition_path' or 'agent_definition': what it calls
--- document
{"argument_definitions": [], "instructions": [{"execution_id": "a"}]}
