--- expect: definition_not_found 1:34 there is no tool 'x'
--- expect: definition_not_found 1:39 there is no tool 'y'
--- document
{"steps": [{"id": "a", "tools": ["x", "y"]}]}
