--- expect: dialect_unknown 1:60
--- document
{"instructions": [{"execution_id": "a", "tool_definition": {"description": "x"}}]}
