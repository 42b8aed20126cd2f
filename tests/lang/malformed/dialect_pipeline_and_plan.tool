--- expect: dialect_ambiguous 1:1
--- document
{"steps": [{"tools": ["x"], "inputMapping": {}}]}
