--- expect: dialect_ambiguous 1:1
--- document
{"instructions": [], "steps": [{"id": "a", "tools": ["x"]}]}
