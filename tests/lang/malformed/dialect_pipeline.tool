--- expect: definition_not_found 1:34 there is no tool 'x'
--- document
{"name": "p", "steps": [{"tool": "x", "inputMapping": {"a": "$input"}}]}
