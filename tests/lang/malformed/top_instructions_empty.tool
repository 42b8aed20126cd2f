--- expect: field_value 1:18
--- document
{"instructions": []}
