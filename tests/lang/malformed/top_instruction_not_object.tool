--- expect: field_type 1:19
--- expect: field_type 1:24
--- document
{"instructions": ["a", null]}
