--- expect: fields_exclusive 1:133 step 'a': 'agent_definition' and 'agent_definition_path' exclude each other; keep one
--- document
{"response_definitions": [], "instructions": [{"execution_id": "a", "agent_definition_path": "/tools/any.tool", "agent_definition": {}}]}
