--- expect: feature_unavailable 1:1
--- document
{"instructions": [{"execution_id": "a", "agent_definition_path": "/a.agent"}]}
