--- expect: field_value 1:78 composite: 'steps' is empty: it needs at least one step
--- document
{"name": "c", "implementation": {"type": "composite", "composite": {"steps": []}}}
