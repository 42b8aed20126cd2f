--- expect: dialect_unknown 1:60 the document is in none of the dialects
--- document
{"instructions": [{"execution_id": "a", "tool_definition": {"description": "x"}}]}
