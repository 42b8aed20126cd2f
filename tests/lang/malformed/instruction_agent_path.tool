--- expect: field_unknown 1:58 step 'a': 'agent_definition_path' is a word of the agent dialect; this document is in the tool dialect, write 'tool_definition_path'
--- document
{"arguments": [], "instructions": [{"execution_id": "a", "agent_definition_path": "/a.agent"}]}
