--- expect: path_outside_root 1:65 leaves its root
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "../../etc/passwd"}]}
