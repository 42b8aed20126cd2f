--- expect: field_type 1:19 instruction 1 must be an object, not a string
--- expect: field_type 1:24 instruction 2 must be an object, not null
--- document
{"instructions": ["a", null]}
