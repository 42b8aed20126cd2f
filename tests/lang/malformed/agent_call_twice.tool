--- expect: fields_exclusive 1:133
--- document
{"response_definitions": [], "instructions": [{"execution_id": "a", "agent_definition_path": "/tools/any.tool", "agent_definition": {}}]}
