--- expect: field_value 1:30 `steps` must be a non-empty list
--- document
{"mode": "compose", "steps": []}
