--- expect: argument_unknown 1:113
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/twice.tool", "arguments": {"text": "x", "n": 1}}]}
