--- expect: field_missing 1:36
--- expect: field_unknown 1:58
--- document
{"arguments": [], "instructions": [{"execution_id": "a", "agent_definition_path": "/a.agent"}]}
