--- expect: argument_unknown 1:113 step 'a': tool 'twice' declares no argument 'n'
--- document
{"instructions": [{"execution_id": "a", "tool_definition_path": "/tools/twice.tool", "arguments": {"text": "x", "n": 1}}]}
