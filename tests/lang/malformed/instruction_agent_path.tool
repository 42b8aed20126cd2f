--- expect: field_unknown 1:58
--- document
{"arguments": [], "instructions": [{"execution_id": "a", "agent_definition_path": "/a.agent"}]}
